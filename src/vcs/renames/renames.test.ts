// Renames in both directions: an edit lands where the file has gone, or is a conflict; nothing comes back at an old path.

import { describe, expect, test } from "vitest";
import { commit, commitsOf, type FileTexts, type Rig, rigWith, tree } from "../../testing/vcs/vcs-rig.ts";
import { type Freeze, frozenPaths } from "../policies/frozen.ts";
import { taskScope } from "../policies/scope.ts";
import { directoryMove, type PathRename } from "./directories.ts";
import { similarShare } from "./similarity.ts";

const text = "one\ntwo\nthree\nfour\nfive\nsix\n";
const top = text.replace("one", "ONE");
const end = text.replace("six", "SIX");

interface Meeting {
  readonly start: FileTexts;
  /** Landed first, each made from the one before. */
  readonly head: readonly FileTexts[];
  readonly late: FileTexts;
}

async function meet({ start, head, late }: Meeting): Promise<readonly [string, Record<string, string>, Rig]> {
  const rig = await rigWith(start);
  for (const [index, files] of head.entries()) await commit(rig, { by: 1, base: 1 + index, files });
  const outcome = await commit(rig, { by: 2, base: 1, files: late });
  return [outcome.kind, await tree(rig), rig];
}

const clean: Readonly<Record<string, Meeting & { readonly result: FileTexts }>> = {
  "an edit of a file that the head has moved": {
    start: { a: text },
    head: [{ a: null, b: end }],
    late: { a: top },
    result: { b: top.replace("six", "SIX") },
  },
  "an edit of a file that the head has moved twice, and changed since": {
    start: { a: text },
    head: [{ a: null, "d/b": text }, { "d/b": null, "d/c": text }, { "d/c": `${text}seven\n` }],
    late: { a: top },
    result: { "d/c": `${top}seven\n` },
  },
  "a move of a file that the head has edited": {
    start: { a: text },
    head: [{ a: top }],
    late: { a: null, "d/b": end },
    result: { "d/b": top.replace("six", "SIX") },
  },
  "a mode, and the target of a link, at the new place": {
    start: { a: text, l: { text: "x", mode: "120000" } },
    head: [{ a: null, b: text, l: null, m: { text: "x", mode: "120000" } }],
    late: { a: { text, mode: "100755" }, l: { text: "y", mode: "120000" } },
    result: { b: `100755:${text}`, m: "120000:y" },
  },
  "a binary that one side moved and the other changed": {
    start: { a: "\0one" },
    head: [{ a: null, b: "\0one" }],
    late: { a: "\0two" },
    result: { b: "\0two" },
  },
  "both sides move the file to one place": {
    start: { a: text },
    head: [{ a: null, b: top }],
    late: { a: null, b: end },
    result: { b: top.replace("six", "SIX") },
  },
  "a file added to a directory that the head has moved": {
    start: { "d/a": text, "d/sub/b": end, x: "x\n" },
    head: [{ "d/a": null, "d/sub/b": null, "e/a": text, "e/sub/b": end }],
    late: { "d/new": "new\n", "d/sub/more/new": "more\n" },
    result: { "e/a": text, "e/sub/b": end, x: "x\n", "e/new": "new\n", "e/sub/more/new": "more\n" },
  },
  "a directory is moved to which the head has added a file": {
    start: { "d/a": text, "d/b": end },
    head: [{ "d/new": "new\n" }],
    late: { "d/a": null, "d/b": null, "e/a": text, "e/b": end },
    result: { "e/a": text, "e/b": end, "e/new": "new\n" },
  },
  "a move of a file that the head has edited, into a directory that the head has moved": {
    start: { a: text, "e/b": "b\n" },
    head: [{ a: top, "e/b": null, "n/b": "b\n" }],
    late: { a: null, "e/a": end },
    result: { "n/a": top.replace("six", "SIX"), "n/b": "b\n" },
  },
  "a file added to a directory that the head has deleted": {
    start: { "d/a": text, x: "x\n" },
    head: [{ "d/a": null }],
    late: { "d/new": "new\n" },
    result: { "d/new": "new\n", x: "x\n" },
  },
  "a file added to a directory of which something stayed": {
    start: { "d/a": text, "d/b": end },
    head: [{ "d/a": null, "e/a": text }],
    late: { "d/new": "new\n" },
    result: { "d/b": end, "d/new": "new\n", "e/a": text },
  },
};

describe("S3 lands at the new path", () => {
  for (const [name, { result, ...meeting }] of Object.entries(clean)) {
    test(name, async () => {
      const [kind, files] = await meet(meeting);
      expect([kind, files]).toEqual(["landed", result]);
    });
  }

  test("a file that goes on and on is told of once, with its last place", async () => {
    const rig = await rigWith({ a: text, "e/b": "b\n" });
    await commit(rig, { by: 1, base: 1, files: { a: top, "e/b": null, "n/b": "b\n" } });
    const outcome = await commit(rig, { by: 2, base: 1, files: { a: null, "e/a": end } });
    expect(outcome).toMatchObject({ kind: "landed", moved: [{ from: "a", to: "n/a" }] });
  });

  test("the answer and the history say what has gone where, a repeated key again", async () => {
    const rig = await rigWith({ a: text });
    await commit(rig, { by: 1, base: 1, files: { a: null, b: end } });
    const outcome = await commit(rig, { by: 2, base: 1, files: { a: top }, key: "k" });
    const again = await commit(rig, { by: 2, base: 1, files: { a: top }, key: "k" });
    const moved = [{ from: "a", to: "b" }];
    expect([outcome, again, (await commitsOf(rig)).at(-1)?.moved]).toEqual([
      { kind: "landed", position: 3, merged: ["b"], moved },
      { kind: "landed", position: 3, merged: ["b"], moved },
      moved,
    ]);
  });
});

const contested: Readonly<Record<string, Meeting & { readonly paths: readonly string[] }>> = {
  "S1 S4 a deletion of a file that the head has moved": {
    start: { a: text },
    head: [{ a: null, b: text }],
    late: { a: null },
    paths: ["a", "b"],
  },
  "S1 S4 a move of a file that the head has deleted": {
    start: { a: text },
    head: [{ a: null }],
    late: { a: null, b: text },
    paths: ["a", "b"],
  },
  "both sides move the file, to different places": {
    start: { a: text },
    head: [{ a: null, b: text }],
    late: { a: null, c: text },
    paths: ["a", "b", "c"],
  },
  "an edit of what the head has moved and edited there": {
    start: { a: text },
    head: [{ a: null, b: text.replace("one", "uno") }],
    late: { a: top },
    paths: ["a"],
  },
  "a file added to a directory whose files went to two places": {
    start: { "d/a": text, "d/b": end },
    head: [{ "d/a": null, "d/b": null, "e/a": text, "f/b": end }],
    late: { "d/new": "new\n" },
    paths: ["d/new"],
  },
  "a file added to a directory that the head has moved, where its place is taken": {
    start: { "d/a": text },
    head: [{ "d/a": null, "e/a": text, "e/new": "other\n" }],
    late: { "d/new": "new\n" },
    paths: ["d/new"],
  },
};

describe("S3 is a conflict", () => {
  for (const [name, { paths, ...meeting }] of Object.entries(contested)) {
    test(name, async () => {
      const [kind, files, rig] = await meet(meeting);
      const before = await tree(rig, 1 + meeting.head.length);
      expect([kind, files, rig.vcs.conflicts()[0]?.paths.map(({ path }) => path)]).toEqual(["conflict", before, paths]);
    });
  }

  test("which can be resolved either way, and then lands", async () => {
    const [, , rig] = await meet({ start: { a: text }, head: [{ a: null, b: text }], late: { a: null, c: end } });
    const conflict = rig.vcs.conflicts()[0]?.id;
    if (conflict === undefined) throw new Error("there is a conflict");
    const view = await rig.vcs.conflictView(conflict);
    const base = view.ok ? view.value.head : 0;
    const outcome = await commit(rig, { by: 9, base, files: { a: null, b: null, c: end }, resolves: conflict });
    expect([outcome.kind, await tree(rig)]).toEqual(["landed", { c: end }]);
  });

  test("a held edit still follows when the head moves its file after the conflict", async () => {
    const rig = await rigWith({ f: "f\n", a: text });
    await commit(rig, { by: 1, base: 1, files: { f: "ours\n" } });
    await commit(rig, { by: 2, base: 1, files: { f: "theirs\n", a: top } });
    await commit(rig, { by: 1, base: 2, files: { a: null, b: end } });
    const [conflict] = rig.vcs.conflicts();
    if (conflict === undefined) throw new Error("there is a conflict");
    await commit(rig, { by: 9, base: rig.vcs.head(), files: { f: "both\n" }, resolves: conflict.id });
    expect(await tree(rig)).toEqual({ f: "both\n", b: top.replace("six", "SIX") });
  });
});

test("an edit never follows its file into what is frozen", async () => {
  const freezes: Freeze[] = [];
  const rig = await rigWith({ a: text }, { policies: [frozenPaths(() => freezes)] });
  await commit(rig, { by: 1, base: 1, files: { a: null, "new/a": text } });
  freezes.push({ paths: ["new/**"], reason: "it is being split", tasks: [] });
  const outcome = await commit(rig, { by: 2, base: 1, files: { a: top } });
  expect([outcome, await tree(rig)]).toEqual([
    { kind: "refused", policy: "frozen", reason: expect.stringContaining("new/a is frozen: it is being split") },
    { "new/a": text },
  ]);
});

test("an edit follows its file out of its task's scope only with a reason, and the refusal says where the file went", async () => {
  const scope = taskScope({ scopeOf: ({ task }) => (task === "t2" ? ["a"] : []), howToGiveReason: "say why" });
  const rig = await rigWith({ a: text }, { policies: [scope] });
  await commit(rig, { by: 1, base: 1, files: { a: null, "new/a": text } });
  const refused = await commit(rig, { by: 2, base: 1, files: { a: top } });
  const before = await tree(rig);
  const landed = await commit(rig, { by: 2, base: 1, files: { a: top }, key: "again", reason: "the file went there" });
  expect([refused, before, landed.kind, await tree(rig)]).toEqual([
    {
      kind: "refused",
      policy: "scope",
      reason:
        "outside this task's scope (a): new/a. Undo these changes, or say why (Renamed meanwhile: a is now new/a.)",
    },
    { "new/a": text },
    "landed",
    { "new/a": top },
  ]);
});

test("how much contents share, by hand", () => {
  const share = (from: string, to: string) => similarShare(Buffer.from(from), Buffer.from(to));
  // Lines of 2 bytes: 2 of 3 are shared; CRLF counts as LF in texts; without lines the chunks are 64 bytes.
  expect([
    share("1\n2\n3\n", "1\n2\nx\n"),
    share("1\n2\n", "1\r\n2\r\n"),
    share("a".repeat(64) + "b".repeat(64), "a".repeat(64) + "c".repeat(64)),
    share("1\n2\n3\n", "1\n"),
    share("1\n", ""),
  ]).toEqual([4 / 6, 4 / 6, 0.5, 0, 0]);
});

test("where a directory has gone, by most of its files", () => {
  const moves = (...pairs: readonly (readonly [string, string])[]): readonly PathRename[] =>
    pairs.map(([from, to]) => ({ from, to }) as PathRename);
  expect([
    directoryMove("d", moves(["d/a", "e/a"], ["d/b", "e/x"], ["d/c", "f/c"])),
    directoryMove("d", moves(["d/s/a", "e/s/a"], ["d/s/t/b", "e/s/t/b"], ["d/s/c", "e/r/c"])),
    directoryMove("d", moves(["d/a", "a"])),
    directoryMove("d", moves(["d/a", "e/a"], ["d/b", "f/b"])),
    directoryMove("d", moves(["dd/a", "e/a"])),
  ]).toEqual([
    { kind: "to", directory: "e" },
    { kind: "to", directory: "e" },
    { kind: "to", directory: "" },
    { kind: "split" },
    { kind: "none" },
  ]);
});
