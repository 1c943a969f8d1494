// Conflict objects over their life: later commits join, an arbiter looks and resolves, a stale resolution is refused.

import { describe, expect, test } from "vitest";
import { asConflictId, type ConflictId } from "../base/ids.ts";
import { unwrap } from "../base/result.ts";
import {
  author,
  commit,
  commitsOf,
  entryFor,
  type FileTexts,
  type Rig,
  recordsOf,
  rigWith,
  tree,
} from "../testing/vcs/vcs-rig.ts";
import { mergeText } from "./merge/merge.ts";
import type { MergeFunction } from "./merges.ts";

const c1 = asConflictId("c1");
const lines = "1\n2\n3\n4\n5\n6\n7\n";

/** Task 2 is in conflict with task 1 over `f`; it also changes `clean`. The conflict is at snapshot 3. */
async function inConflict(merge: MergeFunction = mergeText): Promise<Rig> {
  const rig = await rigWith({ f: "f\n", clean: lines, other: "other\n" }, { merge });
  await commit(rig, { by: 1, base: 1, files: { f: "ours\n" } });
  await commit(rig, { by: 2, base: 1, files: { f: "theirs\n", clean: lines.replace("7", "seven") } });
  return rig;
}

function resolve(rig: Rig, base: number, files: FileTexts, id: ConflictId = c1) {
  return commit(rig, { by: 9, base, files, resolves: id, message: "resolve" });
}

describe("joining", () => {
  test("S30 a later commit of the task on a path of the conflict joins it in order", async () => {
    const rig = await inConflict();
    const outcome = await commit(rig, { by: 2, base: 1, files: { f: "theirs, again\n" } });
    const conflict = rig.vcs.conflict(c1);
    expect([outcome, conflict?.head, conflict?.commits.map(({ position }) => position), conflict?.paths]).toEqual([
      { kind: "conflict", position: 4, conflict: "c1", joined: true },
      4,
      [3, 4],
      [
        {
          path: "f",
          base: entryFor("f\n"),
          ours: entryFor("ours\n"),
          theirs: entryFor("theirs, again\n"),
          oursAuthor: author(1),
        },
      ],
    ]);
  });

  test("S30 a later commit on a path that the held commit only changes joins too", async () => {
    const rig = await inConflict();
    const outcome = await commit(rig, { by: 2, base: 1, files: { clean: lines.replace("6", "six") } });
    expect(outcome).toEqual({ kind: "conflict", position: 4, conflict: "c1", joined: true });
  });

  test("S30 other commits of the task land", async () => {
    const rig = await inConflict();
    expect(await commit(rig, { by: 2, base: 1, files: { other: "changed\n" } })).toEqual({
      kind: "landed",
      position: 4,
      merged: [],
    });
  });

  test("S30 commits of other tasks on these paths land", async () => {
    const rig = await inConflict();
    expect((await commit(rig, { by: 3, base: 2, files: { f: "newer\n" } })).kind).toBe("landed");
  });

  test("S30 a joining commit brings its own conflicts along", async () => {
    const rig = await inConflict();
    await commit(rig, { by: 1, base: 2, files: { other: "ours\n" } });
    await commit(rig, { by: 2, base: 1, files: { f: "theirs\n2\n", other: "theirs\n" } });
    expect(rig.vcs.conflict(c1)?.paths.map(({ path, theirs }) => [path, theirs])).toEqual([
      ["f", entryFor("theirs\n2\n")],
      ["other", entryFor("theirs\n")],
    ]);
  });

  test("a held path that the head changed between two held commits is the arbiter's, since its base is unclear", async () => {
    const rig = await inConflict();
    await commit(rig, { by: 3, base: 3, files: { clean: lines.replace("1", "one") } });
    await commit(rig, { by: 2, base: 4, files: { clean: lines.replace("6", "six") } });
    expect(rig.vcs.conflict(c1)?.paths[1]).toEqual({
      path: "clean",
      base: entryFor(lines),
      ours: entryFor(lines.replace("1", "one")),
      theirs: entryFor(lines.replace("6", "six")),
      oursAuthor: author(3),
    });
  });

  test("a side that another held commit changed is shown as that commit left it", async () => {
    const rig = await rigWith({ f: "f\n", "d/x": lines });
    const [ours, theirs] = [lines.replace("1", "one"), lines.replace("7", "seven")];
    await commit(rig, { by: 1, base: 1, files: { f: "ours\n", "d/x": ours } });
    await commit(rig, { by: 2, base: 1, files: { f: "theirs\n", "d/x": theirs } });
    await commit(rig, { by: 2, base: 1, files: { f: "theirs\n2\n", d: "file\n" } });
    expect(rig.vcs.conflict(c1)?.paths.slice(1)).toEqual([
      { path: "d", base: null, ours: null, theirs: entryFor("file\n"), oursAuthor: null },
      { path: "d/x", base: entryFor(lines), ours: entryFor(ours), theirs: entryFor(theirs), oursAuthor: author(1) },
    ]);
  });

  test("after the conflict is resolved the task's commits land again", async () => {
    const rig = await inConflict();
    await resolve(rig, 3, { f: "both\n" });
    expect(await commit(rig, { by: 2, base: 4, files: { f: "more\n" } })).toEqual({
      kind: "landed",
      position: 5,
      merged: [],
    });
  });
});

describe("the arbiter's view", () => {
  test("text has its regions", async () => {
    const rig = await rigWith({ f: lines });
    await commit(rig, { by: 1, base: 1, files: { f: lines.replace("4", "four") } });
    await commit(rig, { by: 2, base: 1, files: { f: lines.replace("4", "vier") } });
    const view = unwrap(await rig.vcs.conflictView(c1), "view");
    const bytes = (text: string) => new Uint8Array(Buffer.from(text));
    const regions = view.paths.flatMap((path) => (path.kind === "text" ? path.regions : []));
    const plain = regions.map((region) =>
      region.kind === "clean"
        ? { kind: "clean", bytes: new Uint8Array(region.bytes) }
        : {
            kind: "conflict",
            hunk: region.hunk,
            sides: [region.base, region.ours, region.theirs].map((side) => new Uint8Array(side)),
          },
    );
    expect([view.head, plain]).toEqual([
      3,
      [
        { kind: "clean", bytes: bytes("1\n2\n3\n") },
        { kind: "conflict", hunk: 1, sides: [bytes("4\n"), bytes("four\n"), bytes("vier\n")] },
        { kind: "clean", bytes: bytes("5\n6\n7\n") },
      ],
    ]);
  });

  test("the head's side is the one of the view's snapshot", async () => {
    const rig = await inConflict();
    await commit(rig, { by: 1, base: 3, files: { f: "newest\n" } });
    const view = unwrap(await rig.vcs.conflictView(c1), "view");
    expect([view.head, view.paths[0]?.ours, view.conflict.paths[0]?.ours]).toEqual([
      4,
      entryFor("newest\n"),
      entryFor("ours\n"),
    ]);
  });

  test("the held changes beside the conflict are shown as they would land", async () => {
    const rig = await inConflict();
    await commit(rig, { by: 3, base: 3, files: { clean: lines.replace("1", "one") } });
    const view = unwrap(await rig.vcs.conflictView(c1), "view");
    const merged = entryFor("one\n2\n3\n4\n5\n6\nseven\n");
    expect([view.head, view.others.changes, view.others.blobs.map(({ id }) => id)]).toEqual([
      4,
      [{ kind: "put", path: "clean", ...merged }],
      [merged?.blob],
    ]);
  });

  test("a commit that joins while a view is made is in the view, or makes a resolution from it stale", async () => {
    let opened: Promise<void> = Promise.resolve();
    const rig = await inConflict(async (...sides) => {
      await opened;
      return mergeText(...sides);
    });
    await commit(rig, { by: 3, base: 3, files: { clean: lines.replace("1", "one") } });
    const gate = Promise.withResolvers<void>();
    opened = gate.promise;
    const looking = rig.vcs.conflictView(c1);
    await commit(rig, { by: 2, base: 1, files: { f: "theirs, again\n" } });
    gate.resolve();
    const view = unwrap(await looking, "view");
    expect([view.head, view.conflict.commits.length, view.paths[0]?.theirs]).toEqual([
      5,
      2,
      entryFor("theirs, again\n"),
    ]);
  });

  const nul = (digit: number) => ({ text: new Uint8Array([0, digit]), mode: "100644" as const });
  const link = (text: string) => ({ text, mode: "120000" as const });
  const cases = [
    { because: "deleted", base: "f\n", first: null, second: "x\n" },
    { because: "deleted", base: "f\n", first: "x\n", second: null },
    { because: "binary", base: nul(1), first: nul(2), second: nul(3) },
    { because: "type", base: link("1"), first: link("2"), second: "x\n" },
  ];
  for (const { because, base, first, second } of cases) {
    test(`a whole file is shown as ${because} (${first === null ? "head" : "proposal"})`, async () => {
      const rig = await rigWith({ f: base });
      await commit(rig, { by: 1, base: 1, files: { f: first } });
      await commit(rig, { by: 2, base: 1, files: { f: second } });
      const view = unwrap(await rig.vcs.conflictView(c1), "view");
      const sides = { base: entryFor(base), ours: entryFor(first), theirs: entryFor(second), oursAuthor: author(1) };
      expect(view.paths).toEqual([{ path: "f", ...sides, kind: "whole", because }]);
    });
  }

  test("two additions show as text against an empty base", async () => {
    const rig = await rigWith({});
    await commit(rig, { by: 1, base: 1, files: { f: "x\n" } });
    await commit(rig, { by: 2, base: 1, files: { f: "y\n" } });
    const view = unwrap(await rig.vcs.conflictView(c1), "view");
    expect(view.paths.map((path) => (path.kind === "text" ? path.regions.map(({ kind }) => kind) : []))).toEqual([
      ["conflict"],
    ]);
  });

  test("an unknown conflict is an error", async () => {
    const rig = await rigWith({});
    expect(await rig.vcs.conflictView(c1)).toEqual({ ok: false, error: { kind: "unknown-conflict", id: "c1" } });
  });
});

describe("resolving", () => {
  test("one commit lands the resolution and the held changes beside it, under the held author's name", async () => {
    const rig = await inConflict();
    await commit(rig, { by: 3, base: 3, files: { clean: lines.replace("1", "one") } });
    const outcome = await resolve(rig, 3, { f: "ours and theirs\n" });
    const landed = (await commitsOf(rig)).at(-1);
    const { state, resolvedAt, resolvedBy } = rig.vcs.conflict(c1) ?? {};
    expect([outcome, landed?.author, landed?.resolves, { state, resolvedAt, resolvedBy }, await tree(rig)]).toEqual([
      { kind: "landed", position: 5, merged: ["clean"] },
      author(2),
      "c1",
      { state: "resolved", resolvedAt: 5, resolvedBy: author(9) },
      { f: "ours and theirs\n", clean: "one\n2\n3\n4\n5\n6\nseven\n", other: "other\n" },
    ]);
    expect(rig.vcs.figures().conflictsResolved).toBe(1);
  });

  test("the newest of joined changes is what lands", async () => {
    const rig = await inConflict();
    await commit(rig, { by: 2, base: 1, files: { clean: lines.replace("7", "SEVEN"), new: "n\n" } });
    await resolve(rig, 4, { f: "both\n" });
    expect(await tree(rig)).toEqual({ f: "both\n", clean: lines.replace("7", "SEVEN"), new: "n\n", other: "other\n" });
  });

  test("a resolution made before the head moved is refused, and the next attempt sees the new side", async () => {
    const rig = await inConflict();
    await commit(rig, { by: 1, base: 2, files: { f: "ours, newer\n" } });
    const stale = await resolve(rig, 3, { f: "both\n" });
    const conflict = rig.vcs.conflict(c1);
    const again = await resolve(rig, Number(conflict?.head), { f: "both, newer\n" });
    expect([stale, conflict?.state, conflict?.head, conflict?.paths[0]?.ours, again.kind]).toEqual([
      {
        kind: "refused",
        policy: "stale-resolution",
        reason: "Conflict c1 has changed since this resolution's base. Look at it again and resolve it from there.",
      },
      "open",
      5,
      entryFor("ours, newer\n"),
      "landed",
    ]);
  });

  test("a resolution made before a commit joined is refused, since it has not seen that commit", async () => {
    const rig = await inConflict();
    await commit(rig, { by: 2, base: 1, files: { f: "theirs, again\n" } });
    const early = await resolve(rig, 3, { f: "both\n" });
    const fresh = await resolve(rig, 4, { f: "both, again\n" });
    expect([early.kind === "refused" && early.policy, fresh.kind]).toEqual(["stale-resolution", "landed"]);
  });

  test("a held change that meets the head by now is added to the conflict", async () => {
    const rig = await inConflict();
    await commit(rig, { by: 3, base: 3, files: { clean: lines.replace("7", "VII") } });
    const first = await resolve(rig, 3, { f: "both\n" });
    const paths = rig.vcs.conflict(c1)?.paths.map(({ path }) => path);
    const second = await resolve(rig, 5, { f: "both\n", clean: lines.replace("7", "VII seven") });
    expect([first.kind, paths, second.kind, await tree(rig)]).toEqual([
      "refused",
      ["f", "clean"],
      "landed",
      { f: "both\n", clean: lines.replace("7", "VII seven"), other: "other\n" },
    ]);
  });

  test("a resolution that keeps the head and leaves nothing to land closes the conflict without a commit", async () => {
    const rig = await rigWith({ f: "f\n" });
    await commit(rig, { by: 1, base: 1, files: { f: "ours\n" } });
    await commit(rig, { by: 2, base: 1, files: { f: "theirs\n" } });
    const outcome = await resolve(rig, 3, { f: "ours\n" });
    expect([outcome, rig.vcs.conflict(c1)?.state, (await commitsOf(rig)).length]).toEqual([
      { kind: "unchanged", position: 4 },
      "resolved",
      1,
    ]);
  });

  test("a file against a directory is resolved by deleting one of the two", async () => {
    const rig = await rigWith({ x: "x\n" });
    await commit(rig, { by: 1, base: 1, files: { a: "file\n" } });
    await commit(rig, { by: 2, base: 1, files: { "a/b": "below\n" } });
    const both = await resolve(rig, 3, { a: "file\n", "a/b": "below\n" });
    const one = await resolve(rig, 3, { a: null, "a/b": "below\n" });
    expect([both, one.kind, await tree(rig)]).toEqual([
      { kind: "refused", policy: "changes", reason: "a cannot be a file: the commit also puts a/b." },
      "landed",
      { x: "x\n", "a/b": "below\n" },
    ]);
  });

  test("a kept file under a directory that the held commit made a file names both", async () => {
    const rig = await rigWith({ "p/q": "q\n" });
    await commit(rig, { by: 1, base: 1, files: { "p/q": "edited\n" } });
    await commit(rig, { by: 2, base: 1, files: { "p/q": null, p: "file\n" } });
    const paths = rig.vcs.conflict(c1)?.paths.map(({ path }) => path);
    const outcome = await resolve(rig, 3, { "p/q": "edited\n", p: null });
    expect([paths, outcome.kind, await tree(rig)]).toEqual([["p/q", "p"], "unchanged", { "p/q": "edited\n" }]);
  });

  test("held commits of one task that put a file and a file below it are the arbiter's to choose from", async () => {
    const rig = await rigWith({ f: "f\n", "d/y": "y\n" });
    await commit(rig, { by: 1, base: 1, files: { f: "ours\n", "d/y": null } });
    await commit(rig, { by: 2, base: 1, files: { f: "theirs\n", "d/y": "edited\n" } });
    await commit(rig, { by: 2, base: 2, files: { f: "theirs\n2\n", d: "file\n" } });
    const paths = rig.vcs.conflict(c1)?.paths.map(({ path, theirs }) => [path, theirs]);
    const outcome = await resolve(rig, 4, { f: "both\n", "d/y": "edited\n", d: null });
    expect([paths, outcome.kind, await tree(rig)]).toEqual([
      [
        ["f", entryFor("theirs\n2\n")],
        ["d/y", entryFor("edited\n")],
        ["d", entryFor("file\n")],
      ],
      "landed",
      { f: "both\n", "d/y": "edited\n" },
    ]);
  });

  test("a resolution answers exactly the paths in conflict", async () => {
    const rig = await inConflict();
    expect(await resolve(rig, 3, { other: "o\n" })).toEqual({
      kind: "refused",
      policy: "resolution",
      reason:
        "A resolution of c1 gives the final content of exactly the paths in conflict: it leaves out f; it changes other, which is not in conflict.",
    });
  });

  test("an unknown or resolved conflict is refused and nothing is written", async () => {
    const rig = await inConflict();
    await resolve(rig, 3, { f: "both\n" });
    const before = (await recordsOf(rig)).length;
    const again = await resolve(rig, 4, { f: "other\n" });
    const unknown = await resolve(rig, 4, { f: "other\n" }, asConflictId("c7"));
    expect([again, unknown, (await recordsOf(rig)).length]).toEqual([
      { kind: "refused", policy: "resolution", reason: "Conflict c1 is already resolved." },
      { kind: "refused", policy: "resolution", reason: "There is no conflict c7." },
      before,
    ]);
  });
});
