// What no commit may hold, and the sentences that say so.

import { expect, test } from "vitest";
import { commit, type FileTexts, openRig, recordsOf, request, rigWith, tree } from "../testing/vcs/vcs-rig.ts";

const MIB = 1024 * 1024;

test("S25 a new file of 20 MiB is refused with its reason and blocks nobody", async () => {
  const rig = await rigWith({ f: "f\n" });
  const large = { text: new Uint8Array(20 * MIB).fill(97), mode: "100644" as const };
  const refused = rig.vcs.commit(request({ by: 1, base: 1, files: { "big.bin": large, f: "F1\n" } }));
  const landed = rig.vcs.commit(request({ by: 2, base: 1, files: { f: "F2\n" } }));
  expect([await refused, await landed, await tree(rig)]).toEqual([
    {
      ok: true,
      value: {
        kind: "refused",
        policy: "bytes",
        reason:
          "big.bin is 20.0 MiB large; files over 10.0 MiB are not committed. Remove it or add it to .gitignore, then commit the rest again.",
      },
    },
    { ok: true, value: { kind: "landed", position: 2, merged: [] } },
    { f: "F2\n" },
  ]);
});

interface Case {
  readonly name: string;
  readonly files?: FileTexts;
  readonly base?: number;
  readonly message?: string;
  readonly policy: string;
  readonly reason: string;
}

const cases: readonly Case[] = [
  { name: "a base in the future", base: 8, policy: "base", reason: "Snapshot 8 does not exist yet: the head is at 1." },
  {
    name: "a base before the import",
    base: 0,
    policy: "base",
    reason: "Snapshot 0 is older than the imported tree, which begins at 1.",
  },
  {
    name: "too many paths",
    files: { a: "1", b: "2", c: "3", d: "4" },
    policy: "paths",
    reason: "The commit changes 4 paths; at most 3 go into one.",
  },
  {
    name: "too much content",
    files: { a: "a".repeat(60), b: "b".repeat(60) },
    policy: "bytes",
    reason: "The commit holds 0.0 MiB of new content; at most 0.0 MiB go into one. Split it into several commits.",
  },
  {
    name: "a long message",
    message: "x".repeat(51),
    policy: "message",
    reason: "The message has 51 characters; at most 50 are kept.",
  },
  {
    name: "a file and a file below it",
    files: { a: "1", "a/b": "2" },
    policy: "changes",
    reason: "a cannot be a file: the commit also puts a/b.",
  },
  {
    name: "a malformed object id",
    files: { m: { text: "main", mode: "160000" } },
    policy: "blob",
    reason: 'm: "main" is not a sha1 object id.',
  },
];

for (const { name, files = { f: "F\n" }, base = 1, message = "m", policy, reason } of cases) {
  test(`${name} is refused and nothing is written`, async () => {
    const limits = { fileBytesMax: 100, commitBytesMax: 100, commitPathsMax: 3, messageCharsMax: 50 };
    const rig = await rigWith({ f: "f\n" }, { limits });
    const outcome = await commit(rig, { by: 1, base, files, message });
    expect([outcome, (await recordsOf(rig)).length]).toEqual([{ kind: "refused", policy, reason }, 1]);
  });
}

test("a path that git would not take is refused", async () => {
  const rig = await rigWith({});
  const outcome = await commit(rig, { by: 1, base: 1, files: { "a/.GIT/config": "x\n" } });
  expect(outcome.kind === "refused" && outcome.policy).toBe("path");
});

test("two changes of one path are refused", async () => {
  const rig = await rigWith({});
  const one = request({ by: 1, base: 1, files: { f: "F\n" } });
  expect(await rig.vcs.commit({ ...one, changes: [...one.changes, ...one.changes] })).toEqual({
    ok: true,
    value: { kind: "refused", policy: "changes", reason: "f is changed twice in one commit." },
  });
});

test("bytes that are not those of their id are refused", async () => {
  const rig = await rigWith({});
  const one = request({ by: 1, base: 1, files: { f: "F\n" } });
  const answer = await rig.vcs.commit({
    ...one,
    blobs: one.blobs.map(({ id }) => ({ id, bytes: Buffer.from("G\n") })),
  });
  // `printf 'F\n' | git hash-object --stdin`
  const reason = "f: the bytes sent are not those of cf84443e49e1b366fac938711ddf4be2d4d1d9e9.";
  expect(answer).toEqual({ ok: true, value: { kind: "refused", policy: "blob", reason } });
});

test("a put whose content is neither sent nor stored is refused; one that is stored lands", async () => {
  const rig = await rigWith({ old: "stored\n" });
  const missing = await rig.vcs.commit({ ...request({ by: 1, base: 1, files: { f: "new\n" } }), blobs: [] });
  const stored = await rig.vcs.commit({ ...request({ by: 1, base: 1, files: { f: "stored\n" } }), blobs: [] });
  expect([
    missing.ok && missing.value.kind === "refused" && missing.value.policy,
    stored.ok && stored.value.kind,
  ]).toEqual(["missing-blob", "landed"]);
});

test("a content that no change names is not stored", async () => {
  const rig = await openRig();
  await rig.vcs.importTree({
    source: { repository: "/r", branch: null, commit: "c", tree: "t" },
    objectFormat: "sha1",
    entries: new Map(),
    blobs: [],
  });
  const extra = request({ by: 1, base: 1, files: { g: "extra\n" } }).blobs;
  const one = request({ by: 1, base: 1, files: { f: "F\n" } });
  await rig.vcs.commit({ ...one, blobs: [...one.blobs, ...extra] });
  expect(extra.map(({ id }) => rig.log.hasBlob(id))).toEqual([false]);
});
