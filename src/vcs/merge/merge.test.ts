// The merge by hand-made examples: the swarm's cases S1, S2 and S23, and the limits.

import { describe, expect, test } from "vitest";
import { type MergeResult, mergeBytesMax, mergeLinesMax, mergeText } from "./merge.ts";

const bytes = (text: string): Uint8Array => Buffer.from(text);
const merge = (base: string, ours: string, theirs: string): unknown =>
  shown(mergeText(bytes(base), bytes(ours), bytes(theirs)));

/** The result with its bytes as text. */
function shown(result: MergeResult): unknown {
  const text = (value: Uint8Array): string => Buffer.from(value).toString();
  if (result.kind === "clean") return { clean: text(result.bytes) };
  if (result.kind !== "conflict") return result.kind;
  return result.regions.map((region) =>
    region.kind === "clean"
      ? text(region.bytes)
      : { hunk: region.hunk, base: text(region.base), ours: text(region.ours), theirs: text(region.theirs) },
  );
}

describe("S1 two changes of one file", () => {
  test("S1 apart from each other: both survive", () => {
    expect(merge("a\nb\nc\nd\n", "a\nours\nb\nc\nd\n", "a\nb\nc\ntheirs\nd\n")).toEqual({
      clean: "a\nours\nb\nc\ntheirs\nd\n",
    });
  });

  test("S1 different insertions at one line: both are in the conflict", () => {
    expect(merge("a\nb\n", "a\nours\nb\n", "a\ntheirs\nb\n")).toEqual([
      "a\n",
      { hunk: 1, base: "", ours: "ours\n", theirs: "theirs\n" },
      "b\n",
    ]);
  });

  test("S1 a deletion against an edit, in both directions", () => {
    const edited = { base: "a\nb\nc\n", text: "a\nB\nc\n" };
    const deleted = "a\nc\n";
    expect([merge(edited.base, deleted, edited.text), merge(edited.base, edited.text, deleted)]).toEqual([
      ["a\n", { hunk: 1, base: "b\n", ours: "", theirs: "B\n" }, "c\n"],
      ["a\n", { hunk: 1, base: "b\n", ours: "B\n", theirs: "" }, "c\n"],
    ]);
  });

  test("S1 the whole text deleted against an edit", () => {
    expect(merge("a\nb\n", "", "a\nB\n")).toEqual([{ hunk: 1, base: "a\nb\n", ours: "", theirs: "a\nB\n" }]);
  });

  test("changes of neighbouring lines touch", () => {
    expect(merge("a\nb\n", "A\nb\n", "a\nB\n")).toEqual([
      { hunk: 1, base: "a\nb\n", ours: "A\nb\n", theirs: "a\nB\n" },
    ]);
  });

  test("several hunks are numbered in file order", () => {
    expect(merge("a\nm\nz\n", "1\nm\n2\n", "3\nm\n4\n")).toEqual([
      { hunk: 1, base: "a\n", ours: "1\n", theirs: "3\n" },
      "m\n",
      { hunk: 2, base: "z\n", ours: "2\n", theirs: "4\n" },
    ]);
  });
});

describe("S2 the same line on both sides", () => {
  test("S2 added alike: it is there once", () => {
    expect(merge("a\nb\n", "a\nnew\nb\n", "a\nnew\nb\n")).toEqual({ clean: "a\nnew\nb\n" });
  });

  test("S2 added alike, then each merged with other work: it is there once", () => {
    const base = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
    const ours = "1\nmore\n2\n3\n4\nnew\n5\n6\n7\n8\n9\n";
    const theirs = "1\n2\n3\n4\nnew\n5\n6\n7\nother\n8\n9\n";
    expect(merge(base, ours, theirs)).toEqual({ clean: "1\nmore\n2\n3\n4\nnew\n5\n6\n7\nother\n8\n9\n" });
  });

  test("S2 added alike with a difference behind it: the common line is outside the conflict", () => {
    expect(merge("a\nb\n", "a\nnew\nours\nb\n", "a\nnew\ntheirs\nb\n")).toEqual([
      "a\nnew\n",
      { hunk: 1, base: "", ours: "ours\n", theirs: "theirs\n" },
      "b\n",
    ]);
  });

  test("S2 added by both and removed again by one: the conflict shows it", () => {
    const added = "a\nnew\nb\n";
    expect(merge(added, "a\nb\n", added)).toEqual({ clean: "a\nb\n" });
    expect(merge(added, "a\nb\n", "a\nnewer\nb\n")).toEqual([
      "a\n",
      { hunk: 1, base: "new\n", ours: "", theirs: "newer\n" },
      "b\n",
    ]);
  });
});

describe("S23 line endings", () => {
  test("S23 CRLF, bare CR, mixed endings and BOM pass through a one-line edit on each side", () => {
    const base = "\ufeffone\r\ntwo\nth\rree\r\nfour\nfive\r\nsix";
    expect(merge(base, base.replace("two", "TWO"), base.replace("five", "FIVE"))).toEqual({
      clean: "\ufeffone\r\nTWO\nth\rree\r\nfour\nFIVE\r\nsix",
    });
  });

  test("S23 a bare CR does not end a line", () => {
    expect(merge("a\rb\rc\n", "A\rb\rc\n", "a\rb\rC\n")).toEqual([
      { hunk: 1, base: "a\rb\rc\n", ours: "A\rb\rc\n", theirs: "a\rb\rC\n" },
    ]);
  });

  test("S23 a changed ending is a changed line", () => {
    expect(merge("a\r\nb\n\n\nc\n", "a\nb\n\n\nc\n", "a\r\nb\n\n\nC\n")).toEqual({ clean: "a\nb\n\n\nC\n" });
  });

  test("S23 a missing final newline stays missing, and giving one is a change", () => {
    expect([merge("a\nb\nc\nd", "A\nb\nc\nd", "a\nb\nc\nD"), merge("a\nb\nc", "A\nb\nc", "a\nb\nc\n")]).toEqual([
      { clean: "A\nb\nc\nD" },
      { clean: "A\nb\nc\n" },
    ]);
  });

  test("S23 a line added behind a last line without newline by each side", () => {
    expect(merge("a", "a\nours", "a\ntheirs")).toEqual(["a\n", { hunk: 1, base: "a", ours: "ours", theirs: "theirs" }]);
  });
});

describe("limits", () => {
  test("S24 a NUL byte in git's first 8000 bytes makes a side binary", () => {
    const text = "line\n".repeat(1_600);
    expect([
      merge("a\n", "a\0\n", "b\n"),
      merge(text, `${text.slice(0, 7_999)}\0\n`, `x\n${text}`),
      merge(text, `${text.slice(0, 8_000)}\0\n`, `x\n${text}`),
    ]).toEqual(["binary", "binary", { clean: `x\n${text.slice(0, 8_000)}\0\n` }]);
  });

  test("where one side only changed the file, or both alike, no content is too odd", () => {
    expect([merge("\0a", "\0b", "\0a"), merge("\0a", "\0a", "\0b"), merge("\0a", "\0b", "\0b")]).toEqual([
      { clean: "\0b" },
      { clean: "\0b" },
      { clean: "\0b" },
    ]);
  });

  test("too many bytes or lines", () => {
    const long = "a".repeat(mergeBytesMax + 1);
    const lines = "\n".repeat(mergeLinesMax + 1);
    expect([merge("a", "b", long), merge("a", "b", lines)]).toEqual(["too-large", "too-large"]);
  });

  test("texts of many lines that have nothing in common but chance are given up", () => {
    // Over three words, so that every line has partners everywhere.
    const noise = (seed: number): string => {
      let state = seed;
      return Array.from({ length: 150_000 }, () => {
        state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
        return `${(state >>> 16) % 3}\n`;
      }).join("");
    };
    expect(merge(noise(1), noise(2), noise(3))).toBe("too-large");
  });
});
