// What becomes of one commit: landed, merged, unchanged, or kept whole as a conflict object.

import { describe, expect, test } from "vitest";
import {
  author,
  commit,
  commitsOf,
  entryFor,
  openRig,
  recordsOf,
  request,
  rigAtMs,
  rigWith,
  tree,
} from "../testing/vcs/vcs-rig.ts";

const lines = "1\n2\n3\n4\n5\n6\n7\n";

describe("landing", () => {
  test("a commit from the head lands and older snapshots stay as they were", async () => {
    const rig = await rigWith({ "a.txt": "a\n", "b.txt": "b\n" });
    const outcome = await commit(rig, { by: 1, base: 1, files: { "a.txt": "A\n", "b.txt": null, "c/d.txt": "d\n" } });
    expect([outcome, await tree(rig, 1), await tree(rig, 2)]).toEqual([
      { kind: "landed", position: 2, merged: [] },
      { "a.txt": "a\n", "b.txt": "b\n" },
      { "a.txt": "A\n", "c/d.txt": "d\n" },
    ]);
  });

  test("a commit from an old base lands where nobody has touched its paths", async () => {
    const rig = await rigWith({ "a.txt": "a\n", "b.txt": "b\n" });
    await commit(rig, { by: 1, base: 1, files: { "a.txt": "A\n" } });
    const outcome = await commit(rig, { by: 2, base: 1, files: { "b.txt": "B\n" } });
    expect([outcome, await tree(rig)]).toEqual([
      { kind: "landed", position: 3, merged: [] },
      { "a.txt": "A\n", "b.txt": "B\n" },
    ]);
  });

  test("the history names author, base, changes and merges", async () => {
    const rig = await rigWith({ f: lines });
    const [ours, theirs] = [lines.replace("1", "one"), lines.replace("7", "seven")];
    await commit(rig, { by: 1, base: 1, files: { f: ours } });
    await commit(rig, { by: 2, base: 1, files: { f: theirs }, message: "seventh" });
    const [head, proposed] = [entryFor(ours), entryFor(theirs)];
    const both = entryFor(ours.replace("7", "seven"));
    expect((await commitsOf(rig))[1]).toEqual({
      position: 3,
      atMs: rigAtMs,
      author: author(2),
      message: "seventh",
      base: 1,
      changes: [{ kind: "put", path: "f", ...both }],
      merged: [{ path: "f", proposed, head }],
      resolves: null,
    });
  });

  test("the content before a merge stays readable", async () => {
    const rig = await rigWith({ f: lines });
    await commit(rig, { by: 1, base: 1, files: { f: lines.replace("1", "one") } });
    await commit(rig, { by: 2, base: 1, files: { f: lines.replace("7", "seven") } });
    const proposed = (await commitsOf(rig))[1]?.merged[0]?.proposed.blob;
    const [bytes] = await rig.vcs.blobs.get(proposed === undefined ? [] : [proposed]);
    expect(Buffer.from(bytes ?? []).toString()).toBe(lines.replace("7", "seven"));
  });

  test("S8 work that already stands on the head makes no commit, and its task's records are kept", async () => {
    const rig = await rigWith({ f: "old\n", g: "g\n" });
    await commit(rig, { by: 1, base: 1, files: { f: "new\n", g: null } });
    const outcome = await commit(rig, {
      by: 2,
      base: 1,
      files: { f: "new\n", g: null },
      attach: ({ kind }) => [{ type: "task_done", version: 1, atMs: 0, data: { kind } }],
    });
    expect([outcome, (await commitsOf(rig)).length, (await recordsOf(rig)).at(-1)]).toEqual([
      { kind: "unchanged", position: 3 },
      1,
      { position: 3, type: "task_done", version: 1, atMs: 0, data: { kind: "unchanged" } },
    ]);
  });

  test("S8 a change that already stands on the head is left out, the rest lands", async () => {
    const rig = await rigWith({ f: "old\n" });
    await commit(rig, { by: 1, base: 1, files: { f: "new\n" } });
    await commit(rig, { by: 2, base: 1, files: { f: "new\n", g: "g\n" } });
    expect((await commitsOf(rig))[1]?.changes).toEqual([{ kind: "put", path: "g", ...entryFor("g\n") }]);
  });

  test("a commit without a change is unchanged", async () => {
    const rig = await rigWith({});
    expect(await commit(rig, { by: 1, base: 1, files: {} })).toEqual({ kind: "unchanged", position: 2 });
  });

  test("records attached to an outcome become durable with it", async () => {
    const rig = await rigWith({ f: "f\n" });
    await commit(rig, {
      by: 1,
      base: 1,
      files: { f: "F\n" },
      attach: (outcome) => [{ type: "task_done", version: 1, atMs: 7, data: { position: outcome.position } }],
    });
    expect([rig.vcs.head(), (await commitsOf(rig))[0]?.position]).toEqual([3, 2]);
  });
});

describe("merging", () => {
  test("S1 changes of different lines are both on the head", async () => {
    const rig = await rigWith({ f: lines });
    await commit(rig, { by: 1, base: 1, files: { f: lines.replace("1", "one") } });
    const outcome = await commit(rig, { by: 2, base: 1, files: { f: lines.replace("7", "seven") } });
    expect([outcome, await tree(rig)]).toEqual([
      { kind: "landed", position: 3, merged: ["f"] },
      { f: "one\n2\n3\n4\n5\n6\nseven\n" },
    ]);
  });

  test("S1 different texts at one line become a conflict object that names both authors", async () => {
    const rig = await rigWith({ f: lines });
    const [ours, theirs] = [lines.replace("4", "four"), lines.replace("4", "vier")];
    await commit(rig, { by: 1, base: 1, files: { f: ours } });
    const wish = request({ by: 2, base: 1, files: { f: theirs, g: "g\n" }, message: "german" });
    const outcome = await rig.vcs.commit(wish);
    const { key, base, changes } = wish;
    expect([outcome, rig.vcs.conflicts(), await tree(rig)]).toEqual([
      { ok: true, value: { kind: "conflict", position: 3, conflict: "c1", joined: false } },
      [
        {
          id: "c1",
          state: "open",
          author: author(2),
          head: 3,
          paths: [
            { path: "f", base: entryFor(lines), ours: entryFor(ours), theirs: entryFor(theirs), oursAuthor: author(1) },
          ],
          commits: [{ key, base, author: author(2), message: "german", changes, position: 3 }],
          resolvedAt: null,
          resolvedBy: null,
        },
      ],
      { f: ours },
    ]);
  });

  test("one side's mode and the other side's text come together", async () => {
    const rig = await rigWith({ f: lines, g: lines });
    await commit(rig, { by: 1, base: 1, files: { f: { text: lines, mode: "100755" }, g: "new\n" } });
    const outcome = await commit(rig, { by: 2, base: 1, files: { f: "new\n", g: { text: lines, mode: "100755" } } });
    expect([outcome, await tree(rig)]).toEqual([
      { kind: "landed", position: 3, merged: ["f", "g"] },
      { f: "100755:new\n", g: "100755:new\n" },
    ]);
  });

  test("a path that has changed and changed back since the base takes the proposal", async () => {
    const rig = await rigWith({ f: "f\n" });
    await commit(rig, { by: 1, base: 1, files: { f: "x\n" } });
    await commit(rig, { by: 1, base: 2, files: { f: "f\n" } });
    expect(await commit(rig, { by: 2, base: 1, files: { f: "y\n" } })).toEqual({
      kind: "landed",
      position: 4,
      merged: [],
    });
  });

  test("figures count commits, merges and conflicts", async () => {
    const rig = await rigWith({ f: lines, g: "g\n" });
    await commit(rig, { by: 1, base: 1, files: { f: lines.replace("1", "one"), g: "G\n" } });
    await commit(rig, { by: 2, base: 1, files: { f: lines.replace("7", "seven") } });
    await commit(rig, { by: 3, base: 1, files: { g: "other\n" } });
    expect(rig.vcs.figures()).toEqual({
      commits: 2,
      mergedCommits: 1,
      mergedPaths: 1,
      conflictsFound: 1,
      conflictsResolved: 0,
    });
  });
});

describe("what cannot be merged is kept whole", () => {
  const binary = (byte: number) => ({ text: new Uint8Array([0, byte, 0]), mode: "100644" as const });
  const link = (text: string) => ({ text, mode: "120000" as const });
  const module = (digit: string) => ({ text: digit.repeat(40), mode: "160000" as const });
  const cases = [
    { name: "S4 a deletion of what was edited", first: "x\n", second: null },
    { name: "S4 an edit of what was deleted", first: null, second: "x\n" },
    { name: "binaries", base: binary(1), first: binary(2), second: binary(3) },
    { name: "symlinks", base: link("a"), first: link("b"), second: link("c") },
    { name: "submodules", base: module("a"), first: module("b"), second: module("c") },
    { name: "a symlink against an edit", first: link("b"), second: "x\n" },
    { name: "two additions", base: null, first: "x\n", second: "y\n" },
    {
      name: "two additions with different modes",
      base: null,
      first: "x\n",
      second: { text: "x\n", mode: "100755" } as const,
    },
  ];
  for (const { name, base = "f\n", first, second } of cases) {
    test(`${name} conflict, and the head keeps what landed first`, async () => {
      const rig = await rigWith(base === null ? {} : { f: base });
      await commit(rig, { by: 1, base: 1, files: { f: first } });
      const before = await tree(rig);
      const outcome = await commit(rig, { by: 2, base: 1, files: { f: second, other: "o\n" } });
      const [conflict] = rig.vcs.conflicts();
      expect([outcome, conflict?.paths, await tree(rig)]).toEqual([
        { kind: "conflict", position: 3, conflict: "c1", joined: false },
        [{ path: "f", base: entryFor(base), ours: entryFor(first), theirs: entryFor(second), oursAuthor: author(1) }],
        before,
      ]);
    });
  }

  test("S3 an edit of a file that was renamed and changed on the same line conflicts, the old path does not come back", async () => {
    const rig = await rigWith({ "old/f": "f\n2\n" });
    await commit(rig, { by: 1, base: 1, files: { "old/f": null, "new/f": "F\n2\n" } });
    const outcome = await commit(rig, { by: 2, base: 1, files: { "old/f": "edited\n2\n" } });
    expect([outcome.kind, await tree(rig)]).toEqual(["conflict", { "new/f": "F\n2\n" }]);
  });

  test("a text too large to merge conflicts", async () => {
    const rig = await rigWith({ f: lines }, { merge: () => ({ kind: "too-large" }) });
    await commit(rig, { by: 1, base: 1, files: { f: lines.replace("1", "one") } });
    const outcome = await commit(rig, { by: 2, base: 1, files: { f: lines.replace("7", "seven") } });
    expect(outcome.kind).toBe("conflict");
  });
});

describe("file against directory", () => {
  test("a file put below a file conflicts, and both paths are named", async () => {
    const rig = await rigWith({ x: "x\n" });
    await commit(rig, { by: 1, base: 1, files: { a: "file\n" } });
    const outcome = await commit(rig, { by: 2, base: 1, files: { "a/b/c": "below\n" } });
    expect([outcome.kind, rig.vcs.conflicts()[0]?.paths, await tree(rig)]).toEqual([
      "conflict",
      [
        { path: "a/b/c", base: null, ours: null, theirs: entryFor("below\n"), oursAuthor: null },
        { path: "a", base: null, ours: entryFor("file\n"), theirs: null, oursAuthor: author(1) },
      ],
      { x: "x\n", a: "file\n" },
    ]);
  });

  test("a file put in the place of a directory conflicts with every file below it", async () => {
    const rig = await rigWith({ "a/old": "old\n", "a-b": "beside\n" });
    await commit(rig, { by: 1, base: 1, files: { "a/new": "new\n" } });
    const outcome = await commit(rig, { by: 2, base: 1, files: { "a/old": null, a: "file\n" } });
    expect([outcome.kind, rig.vcs.conflicts()[0]?.paths]).toEqual([
      "conflict",
      [
        { path: "a", base: null, ours: null, theirs: entryFor("file\n"), oursAuthor: null },
        { path: "a/new", base: null, ours: entryFor("new\n"), theirs: null, oursAuthor: author(1) },
      ],
    ]);
  });

  test("a directory becomes a file and a file a directory where one commit clears the way", async () => {
    const rig = await rigWith({ "a/x": "x\n", "a/y/z": "z\n", b: "b\n" });
    const files = { "a/x": null, "a/y/z": null, a: "a\n", b: null, "b/c": "c\n" };
    const outcome = await commit(rig, { by: 1, base: 1, files });
    expect([outcome.kind, await tree(rig)]).toEqual(["landed", { a: "a\n", "b/c": "c\n" }]);
  });
});

test("a store that was never imported refuses commits", async () => {
  const rig = await openRig();
  expect(await commit(rig, { by: 1, base: 0, files: { f: "f\n" } })).toEqual({
    kind: "refused",
    policy: "base",
    reason: "The store has no tree yet: nothing has been imported.",
  });
});
