// An arbiter's answer: what stands, and everything that is refused with its reason.

import { describe, expect, it } from "vitest";
import type { RepoPath } from "../../base/ids.ts";
import { blobIdOf } from "../../log/blob-id.ts";
import { applyAnswer, type OpenConflict } from "./apply-answer.ts";
import type { ResolveInput } from "./tools/resolve.ts";

const bytes = (text: string): Uint8Array => Buffer.from(text);
const path = (text: string): RepoPath => text as RepoPath;
const entry = (text: string) => ({ blob: blobIdOf(bytes(text), "sha1"), mode: "100644" as const });

const table = { base: "t = [a];\n", ours: "t = [a, power];\n", theirs: "t = [a, modulo];\n" };
const text = {
  kind: "text" as const,
  path: path("t.js"),
  mode: "100755" as const,
  regions: [
    { kind: "clean" as const, bytes: bytes("// table\n") },
    {
      kind: "conflict" as const,
      hunk: 1,
      base: bytes(table.base),
      ours: bytes(table.ours),
      theirs: bytes(table.theirs),
    },
    { kind: "clean" as const, bytes: bytes("// end\n") },
    { kind: "conflict" as const, hunk: 2, base: bytes(""), ours: bytes("left\n"), theirs: bytes("right\n") },
  ],
};
const image = { kind: "whole" as const, path: path("logo.png"), base: null, ours: entry("ours"), theirs: null };

function conflict(...paths: OpenConflict["paths"]): OpenConflict {
  const sides = { side: "ours" as const, task: "t1", title: "", instructions: "", check: null };
  return {
    kind: "open",
    head: 3 as OpenConflict["head"],
    objectFormat: "sha1",
    paths,
    others: { changes: [], blobs: [] },
    sides: [sides],
  };
}

const hunk = (number: number, answer: string, file = "t.js") => ({ path: file, hunk: number, text: answer });
const both = [hunk(1, "t = [a, power, modulo];\n"), hunk(2, "left\nright\n")];
const take = (side: "ours" | "theirs", file = "logo.png") => ({ path: file, take: side, reason: "the newer\none" });

function answer(given: Partial<ResolveInput>, ...paths: OpenConflict["paths"]) {
  const applied = applyAnswer(conflict(...(paths.length === 0 ? [text] : paths)), { hunks: [], files: [], ...given });
  return applied.ok ? applied.value : applied.error;
}

describe("an answer that stands", () => {
  it("is the clean regions with each hunk's answer in its place, with the file's mode", () => {
    const whole = bytes("// table\nt = [a, power, modulo];\n// end\nleft\nright\n");
    const blob = blobIdOf(whole, "sha1");
    expect(answer({ hunks: both })).toEqual({
      changes: [{ kind: "put", path: "t.js", blob, mode: "100755" }],
      blobs: [{ id: blob, bytes: Buffer.from(whole) }],
      notes: ["Both sides kept in t.js."],
    });
  });

  it("takes a whole file's side where there are no hunks, and says which and why", () => {
    expect([answer({ files: [take("ours")] }, image), answer({ files: [take("theirs")] }, image)]).toEqual([
      {
        changes: [{ kind: "put", path: "logo.png", ...entry("ours") }],
        blobs: [],
        notes: ["Took ours of logo.png: the newer one"],
      },
      { changes: [{ kind: "delete", path: "logo.png" }], blobs: [], notes: ["Took theirs of logo.png: the newer one"] },
    ]);
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
      "logo.png: say in `files` which side to take",
      "logo.png: it has 2 answers in `files`: give one",
      "logo.png: it has no hunks: say in `files` which side to take",
    ]);
  });
});
