// A commit may name paths it read: where one has moved since its base, it is in conflict too (write skew).

import { expect, test } from "vitest";
import { asPath, author, commit, entryFor, request, rigWith, tree } from "../testing/vcs/vcs-rig.ts";

const files = { limit: "2\n", used: "1\n", other: "o\n" };

test("two commits that each read what the other changes do not both land", async () => {
  const rig = await rigWith(files);
  await rig.vcs.commit({ ...request({ by: 1, base: 1, files: { used: "2\n" } }), reads: [asPath("limit")] });
  const second = { ...request({ by: 2, base: 1, files: { limit: "1\n" } }), reads: [asPath("used")] };
  const outcome = await rig.vcs.commit(second);
  expect([outcome, rig.vcs.conflicts()[0]?.paths, await tree(rig)]).toEqual([
    { ok: true, value: { kind: "conflict", position: 3, conflict: "c1", joined: false } },
    [
      {
        path: "used",
        base: entryFor("1\n"),
        ours: entryFor("2\n"),
        theirs: entryFor("1\n"),
        oursAuthor: author(1),
      },
    ],
    { ...files, used: "2\n" },
  ]);
});

test("what was read and has not moved, or is changed by the commit itself, is in nobody's way", async () => {
  const rig = await rigWith(files);
  await commit(rig, { by: 1, base: 1, files: { other: "O\n" } });
  const reads = [asPath("limit"), asPath("used"), asPath("nothing")];
  const outcome = await rig.vcs.commit({ ...request({ by: 2, base: 1, files: { used: "2\n" } }), reads });
  expect(outcome).toEqual({ ok: true, value: { kind: "landed", position: 3, merged: [] } });
});

test("a file that came where the commit saw none has moved", async () => {
  const rig = await rigWith(files);
  await commit(rig, { by: 1, base: 1, files: { lock: "mine\n" } });
  const outcome = await rig.vcs.commit({
    ...request({ by: 2, base: 1, files: { used: "2\n" } }),
    reads: [asPath("lock")],
  });
  expect(outcome).toMatchObject({ ok: true, value: { kind: "conflict" } });
});

test("the arbiter resolves it: the read path as it stands, and the held change lands with it", async () => {
  const rig = await rigWith(files);
  await commit(rig, { by: 1, base: 1, files: { limit: "1\n" } });
  await rig.vcs.commit({ ...request({ by: 2, base: 1, files: { used: "2\n" } }), reads: [asPath("limit")] });
  const [conflict] = rig.vcs.conflicts();
  const view = await rig.vcs.conflictView(conflict?.id ?? ("" as never));
  const resolves = conflict?.id ?? ("" as never);
  const outcome = await commit(rig, { by: 9, base: rig.vcs.head(), files: { limit: "1\n" }, resolves });
  expect([view.ok && view.value.paths.map(({ kind }) => kind), outcome.kind, await tree(rig)]).toEqual([
    ["text"],
    "landed",
    { ...files, limit: "1\n", used: "2\n" },
  ]);
});
