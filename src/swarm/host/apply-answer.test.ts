// An arbiter's answer: what stands, and everything that is refused with its reason.

import { describe, expect, it } from "vitest";
import { asTaskId, type RepoPath } from "../../base/ids.ts";
import { blobIdOf } from "../../log/blob-id.ts";
import type { Mode } from "../../vcs/types.ts";
import type { OpenConflict, TextFile, WholeFile } from "../open-conflict.ts";
import { applyAnswer } from "./apply-answer.ts";
import type { ResolveInput } from "./tools/resolve.ts";

const bytes = (text: string): Uint8Array => Buffer.from(text, "latin1");
const path = (text: string): RepoPath => text as RepoPath;
const entry = (text: string, mode: Mode = "100644") => ({ blob: blobIdOf(bytes(text), "sha1"), mode });

const table = { base: "t = [a];\n", ours: "t = [a, power];\n", theirs: "t = [a, modulo];\n" };
const text: TextFile = {
  kind: "text",
  path: path("t.js"),
  ...{ base: entry("t"), ours: entry("to"), theirs: entry("tt"), oursTask: asTaskId("t1") },
  mode: "100755",
  regions: [
    { kind: "clean", bytes: bytes("// table\n") },
    { kind: "conflict", hunk: 1, base: bytes(table.base), ours: bytes(table.ours), theirs: bytes(table.theirs) },
    { kind: "clean", bytes: bytes("// end\n") },
    { kind: "conflict", hunk: 2, base: bytes(""), ours: bytes("left\n"), theirs: bytes("right\n") },
  ],
};
type Sides = readonly [base: string | null, ours: string | null, theirs: string | null];
const whole = (name: string, [base, ours, theirs]: Sides): WholeFile => ({
  kind: "whole",
  path: path(name),
  base: base === null ? null : entry(base),
  ours: ours === null ? null : entry(ours),
  theirs: theirs === null ? null : entry(theirs),
  oursTask: asTaskId("t1"),
  because: "deleted",
});
const image = whole("logo.png", ["old\0", "ours\0", null]);

function conflict(paths: OpenConflict["paths"], more: Partial<OpenConflict> = {}): OpenConflict {
  const side = { title: "", instructions: "", check: null };
  return {
    kind: "open",
    head: 3 as OpenConflict["head"],
    objectFormat: "sha1",
    paths,
    moves: [],
    besides: [],
    others: { changes: [], blobs: [] },
    sides: [
      { side: "theirs", task: asTaskId("t2"), ...side },
      { side: "ours", task: asTaskId("t1"), ...side },
    ],
    ...more,
  };
}

const hunk = (number: number, answer: string, file = "t.js") => ({ path: file, hunk: number, text: answer });
const both = [hunk(1, "t = [a, power, modulo];\n"), hunk(2, "left\nright\n")];
const take = (side: "ours" | "theirs", file = "logo.png") => ({ path: file, take: side, reason: "the newer\none" });

/** Every text of these tests by its id. */
const texts = ["old\0", "ours\0", "1\n2\n", "1\n2\n3\n", "moved\n1\n2\n", "one\n", "two\n", "three\n"];
const contents = new Map(texts.map((each) => [blobIdOf(bytes(each), "sha1"), bytes(each)]));

function apply(given: Partial<ResolveInput>, open: OpenConflict) {
  const applied = applyAnswer(open, contents, { hunks: [], files: [], also: [], ...given });
  return applied.ok ? applied.value : applied.error;
}

function answer(given: Partial<ResolveInput>, ...paths: OpenConflict["paths"]) {
  return apply(given, conflict(paths.length === 0 ? [text] : paths));
}

describe("an answer that stands", () => {
  it("is the clean regions with each hunk's answer in its place, with the file's mode", () => {
    const whole = bytes("// table\nt = [a, power, modulo];\n// end\nleft\nright\n");
    const blob = blobIdOf(whole, "sha1");
    expect(answer({ hunks: both })).toEqual({
      changes: [{ kind: "put", path: "t.js", blob, mode: "100755" }],
      blobs: [{ id: blob, bytes: Buffer.from(whole) }],
      notes: ["Answered 2 hunks of t.js; checked: tokens of both sides."],
      discarded: [],
    });
  });

  it("takes a hunk's sides byte for byte, one after the other", () => {
    const takes = [
      { path: "t.js", hunk: 1, text: "t = [a, power, modulo];\n" },
      { path: "t.js", hunk: 2, take: "theirs-then-ours" as const },
    ];
    const given = answer({ hunks: takes });
    expect(typeof given === "string" ? given : Buffer.from(given.blobs[0]?.bytes ?? []).toString()).toBe(
      "// table\nt = [a, power, modulo];\n// end\nright\nleft\n",
    );
  });
});

describe("a file without hunks", () => {
  const reason = "the newer one";
  const ours = { path: "logo.png", side: "ours", task: "t1", entry: entry("ours\0"), reason };
  const theirs = { path: "logo.png", side: "theirs", task: "t2", entry: null, reason };

  it("takes a side, and names the other one with task, blob and reason", () => {
    expect([answer({ files: [take("ours")] }, image), answer({ files: [take("theirs")] }, image)]).toEqual([
      {
        changes: [{ kind: "put", path: "logo.png", ...entry("ours\0") }],
        blobs: [],
        notes: [
          "Discarded in logo.png: theirs of t2 (its deletion): the newer one",
          "Took ours of logo.png: the newer one",
        ],
        discarded: [theirs],
      },
      {
        changes: [{ kind: "delete", path: "logo.png" }],
        blobs: [],
        notes: [
          `Discarded in logo.png: ours of t1 (blob ${entry("ours\0").blob}): the newer one`,
          "Took theirs of logo.png: the newer one",
        ],
        discarded: [ours],
      },
    ]);
  });

  const edited = whole("f", ["1\n2\n", null, "1\n2\n3\n"]);
  const wrote = (content: string) => answer({ files: [{ path: "f", content, reason: "r" }] }, edited);
  const left = (given: ReturnType<typeof answer>) =>
    typeof given === "string" ? given : given.discarded.map(({ side, entry: own }) => [side, own?.blob ?? null]);

  it("takes a content, and names the sides that it lacks", () => {
    expect([left(wrote("1\n2\n3\n4\n")), left(wrote("1\n2\nother\n"))]).toEqual([
      [["ours", null]],
      [
        ["ours", null],
        ["theirs", entry("1\n2\n3\n").blob],
      ],
    ]);
  });

  it("is deleted with the edit named, and a directory's files at once", () => {
    const files = [{ path: "d/", delete: true as const, reason: "r" }];
    const given = answer({ files }, { ...edited, path: path("d/f") }, { ...edited, path: path("d/e/g") });
    expect([typeof given === "string" ? given : given.changes, left(given)]).toEqual([
      [
        { kind: "delete", path: "d/f" },
        { kind: "delete", path: "d/e/g" },
      ],
      [
        ["theirs", entry("1\n2\n3\n").blob],
        ["theirs", entry("1\n2\n3\n").blob],
      ],
    ]);
  });

  it("loses nothing to a content that holds both", () => {
    const three = { ...whole("f", ["one\n", "two\n", "three\n"]), because: "type" as const };
    expect(left(answer({ files: [{ path: "f", content: "two three\n", reason: "r" }] }, three))).toEqual([]);
  });

  it("is not both a file and a directory", () => {
    const files = [take("ours", "n"), take("theirs", "n/m")];
    expect(answer({ files }, whole("n", [null, "one\n", null]), whole("n/m", [null, null, "two\n"]))).toBe(
      "n/m cannot be a file beside n: delete one of the two",
    );
  });
});

describe("S3 an edit of a file that the other side moved", () => {
  const file = whole("d/g", ["1\n2\n", null, "1\n2\n3\n"]);
  const move = { from: path("d/g"), to: path("e/g"), side: "ours" as const, ...entry("moved\n1\n2\n") };
  const moved = conflict([file], { moves: [move] });
  const merged = "moved\n1\n2\n3\n";
  const landed = {
    changes: [
      { kind: "put", path: "e/g", ...entry(merged) },
      { kind: "delete", path: "d/g" },
    ],
    blobs: [{ id: entry(merged).blob, bytes: Buffer.from(merged) }],
    discarded: [],
  };

  it("is carried to the new path, by a merge or as written, and nothing is discarded", () => {
    expect([
      apply({ files: [{ path: "d/g", carry_to: "e/g", reason: "moved" }] }, moved),
      apply(
        { files: [{ path: "d/g", delete: true, reason: "moved" }], also: [{ path: "e/g", content: merged }] },
        moved,
      ),
    ]).toEqual([
      { ...landed, notes: ["Merged the edit into e/g.", "Carried the edit of d/g to e/g: moved"] },
      { ...landed, notes: ["Wrote e/g.", "Deleted d/g: moved"] },
    ]);
  });

  it("does not bring the old path back by being taken", () => {
    expect(apply({ files: [take("theirs", "d/g")] }, moved)).toBe(
      "d/g: ours moved it to e/g, and the edit belongs there: answer with `carry_to` e/g, or delete it here and give e/g in `also`. If it was not moved, write it here with `content`",
    );
  });

  it("is named as discarded where the new path does not get it, and nothing that stands there may be lost", () => {
    const files = [{ path: "d/g", delete: true as const, reason: "moved" }];
    const alone = apply({ files }, moved);
    expect([
      typeof alone === "string" ? alone : alone.discarded.map(({ side, entry: own }) => [side, own?.blob]),
      apply({ files, also: [{ path: "e/g", content: "1\n2\n3\n" }] }, moved),
      apply({ files, also: [{ path: "other", content: "x\n" }] }, moved),
    ]).toEqual([
      [["theirs", entry("1\n2\n3\n").blob]],
      'e/g: the change that stands there is lost. ours: what it added is missing: "moved"',
      "other: only where the conflict shows that a file was moved to: e/g",
    ]);
  });
});

describe("S23 an answer that would make bytes up is refused and says what to do", () => {
  const file: TextFile = {
    ...text,
    regions: [{ kind: "conflict", hunk: 1, base: bytes(""), ours: bytes("caf\xe9\n"), theirs: bytes("caf\xe8\n") }],
  };
  it.each([[[hunk(1, "caf\ufffd\ncaf\ufffd\n")]]])("%j", (hunks) => {
    expect(answer({ hunks }, file)).toBe(
      't.js: hunk 1: line 1 of the answer ("caf\ufffd") has U+FFFD, which stands for bytes that are no text and are not known here. Repeat a side\'s line word for word to keep its bytes, or `take` a side, alone or one after the other',
    );
  });

  it("where both are taken the bytes are those of the sides", () => {
    const given = answer({ hunks: [{ path: "t.js", hunk: 1, take: "ours-then-theirs" }] }, file);
    expect(typeof given === "string" ? given : given.blobs[0]?.bytes).toEqual(bytes("caf\xe9\ncaf\xe8\n"));
  });
});

describe("an answer that drops a side is refused", () => {
  it.each([
    ["theirs", table.ours, 't.js: the answer to hunk 1 drops a side. theirs: what it added is missing: "modulo"'],
    ["ours", table.theirs, 't.js: the answer to hunk 1 drops a side. ours: what it added is missing: "power"'],
    ["both", table.base, "t.js: the answer to hunk 1 drops a side. the answer is the base: both changes are gone"],
    [
      "both, by their marks",
      `<<<<<<< ours\n${table.ours}`,
      't.js: the answer to hunk 1 drops a side. the answer contains the conflict marker "<<<<<<< ours"',
    ],
  ])("when %s would be gone", (_, dropped, reason) => {
    expect(answer({ hunks: [hunk(1, dropped), hunk(2, "left\nright\n")] })).toBe(reason);
  });
});

describe("an answer that is not whole, or more than that, is refused", () => {
  it.each([
    ["a hunk without an answer", { hunks: [hunk(1, "t = [a, power, modulo];\n")] }, "t.js: hunk 2 has no answer"],
    ["a hunk with two", { hunks: [...both, hunk(2, "right\nleft\n")] }, "t.js: hunk 2 has 2 answers"],
    ["a hunk that is not there", { hunks: [...both, hunk(3, "x\n")] }, "t.js: it has no hunk 3"],
    [
      "a file that is not in conflict",
      { hunks: [...both, hunk(1, "x\n", "other.js")] },
      "other.js is not part of this conflict: t.js",
    ],
    [
      "a side of a file that has hunks",
      { hunks: both, files: [take("ours", "t.js")] },
      "t.js: it is answered hunk by hunk, not in `files`",
    ],
  ])("%s", (_, given, reason) => {
    expect(answer(given)).toBe(reason);
  });

  it("a whole file without a side, with two, or with hunks", () => {
    expect([
      answer({}, image),
      answer({ files: [take("ours"), take("theirs")] }, image),
      answer({ files: [take("ours")], hunks: [hunk(1, "x\n", "logo.png")] }, image),
    ]).toEqual([
      "logo.png: say in `files` which side to take, or what stands there",
      "logo.png: it has 2 answers in `files`: give one",
      "logo.png: it has no hunks: answer it in `files`",
    ]);
  });
});
