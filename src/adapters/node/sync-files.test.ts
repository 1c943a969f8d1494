// The synchronous files keep the port's contract, and what they make for a person is that person's alone.

import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { SeenFile } from "../../host/files.ts";
import { describeFiles } from "../../testing/contract/host-files.ts";
import { nodeFiles } from "./files.ts";
import { nodeHost } from "./host.ts";
import { syncFiles } from "./sync-files.ts";

describeFiles("node, synchronous", async () => {
  const directory = await mkdtemp(join(tmpdir(), "skein-sync-"));
  return {
    host: { ...nodeHost(), files: { ...nodeFiles, ...syncFiles } },
    directory,
    run: (work) => work,
    dispose: () => rm(directory, { recursive: true, force: true }),
  };
});

test.each([
  ["synchronous", syncFiles],
  ["asynchronous", nodeFiles],
])(
  "a private directory is closed to others with the parents that are made for it, an old one when it is asked for: %s",
  async (_, files) => {
    const root = mkdtempSync(join(tmpdir(), "skein-private-"));
    const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);
    mkdirSync(join(root, "old"));
    chmodSync(join(root, "old"), 0o755);
    await files.makeDirectory(join(root, "parent", "new"), { private: true });
    await files.makeDirectory(join(root, "old"), { private: true });
    const old = mode(join(root, "old"));
    await files.makePrivate(join(root, "old"));
    expect([mode(join(root, "parent")), mode(join(root, "parent", "new")), old, mode(join(root, "old"))]).toEqual([
      "700",
      "700",
      "755",
      "700",
    ]);
    rmSync(root, { recursive: true });
  },
);

test("a file's time is the same to the bit, whichever way it is asked for: it is kept and compared", async () => {
  const root = mkdtempSync(join(tmpdir(), "skein-times-"));
  const paths = Array.from({ length: 200 }, (_, number) => join(root, `${number}`));
  // Newer kernels tell a file's time finely once somebody has looked at it.
  for (const path of paths) {
    writeFileSync(path, "");
    statSync(path);
    writeFileSync(path, path);
  }
  const times: unknown[][] = [];
  for (const path of [...paths, join(root, "missing")])
    times.push([await nodeFiles.stat(path), await syncFiles.stat(path)].map((stat) => stat.ok && stat.value));
  rmSync(root, { recursive: true });
  expect(times.map(([one]) => one)).toEqual(times.map(([, other]) => other));
  expect(times.map(([one]) => one !== false)).toEqual([...paths.map(() => true), false]);
});

test("what is seen of thousands of files at once is what is told of each by itself", async () => {
  const root = mkdtempSync(join(tmpdir(), "skein-seen-"));
  for (const name of ["b", "a", "Z", "\u00e9", "a.b"]) mkdirSync(join(root, name));
  writeFileSync(join(root, "file"), "four");
  symlinkSync(join(root, "a"), join(root, "link"));
  const looks = ["a", "file", "link", "missing", "file/below"].map(async (name) => {
    const seen: SeenFile = { kind: "other", size: -1, changedMs: -1 };
    const error = syncFiles.seeNow(join(root, name), seen);
    const stat = await nodeFiles.stat(join(root, name));
    if (!stat.ok) return [error?.code, error?.path === join(root, name), stat.error.code, true];
    const { kind, size, changedMs } = stat.value;
    return [error, seen, null, { kind, size, changedMs }];
  });
  const listed = await nodeFiles.list(root, 7);
  const names = syncFiles.directoriesNow(root, 7);
  const none = [syncFiles.directoriesNow(root, 6), syncFiles.directoriesNow(join(root, "missing"), 6)];
  const told = await Promise.all(looks);
  rmSync(root, { recursive: true });
  expect(told.map(([error, seen]) => [error, seen])).toEqual(told.map(([, , error, seen]) => [error, seen]));
  expect(names.ok && names.value).toEqual(["Z", "a", "a.b", "b", "\u00e9"]);
  expect(names.ok && names.value).toEqual(
    listed.ok && listed.value.filter(({ kind }) => kind === "directory").map(({ name }) => name),
  );
  expect(none.map((result) => !result.ok && result.error.code)).toEqual(["too-large", "not-found"]);
});
