// A partial clone: nothing is fetched, and what is missing is said with what helps, without git's own advice about our settings.

import { mkdirSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { nodeHost } from "../../adapters/node/host.ts";
import { unwrap } from "../../base/result.ts";
import { makeRepository, git as plainGit, temporaryDirectory } from "../../testing/git/real-repository.ts";
import { type Git, runGit } from "./command.ts";
import { readTree } from "./import.ts";
import { readBlobs } from "./read-blobs.ts";

const git: Git = { processes: nodeHost().processes, path: process.env.PATH ?? "" };

test("a blob that was left out is missing, a tree that was is told with advice that helps", async () => {
  using directory = temporaryDirectory();
  const source = `${directory.path}/source`;
  makeRepository(source, { "a.txt": { kind: "file", bytes: "a" }, "d/b": { kind: "file", bytes: "b" } });
  plainGit(source, ["config", "uploadpack.allowFilter", "true"]);
  const clone = (name: string, filter: string) =>
    plainGit(directory.path, ["clone", "--quiet", `--filter=${filter}`, "--no-checkout", `file://${source}`, name]);
  clone("blobless", "blob:none");
  clone("treeless", "tree:0");
  const blobless = `${directory.path}/blobless`;
  const { blobs: ids } = unwrap(await readTree(git, blobless, "HEAD"), "tree");
  const read = async () => {
    const limits = { format: "sha1", batchBytesMax: 1_000, blobBytesMax: 1_000 } as const;
    const answers = [];
    for await (const batch of readBlobs({ git, repository: blobless, ids, ...limits }))
      answers.push(batch.ok ? batch.value.length : batch.error);
    return answers;
  };
  const missing = await read();
  const treeless = await readTree(git, `${directory.path}/treeless`, "HEAD");
  plainGit(blobless, ["fetch", "--quiet", "--refetch", "--no-filter"]);
  const afterwards = await read();
  expect([missing, treeless, afterwards]).toEqual([
    [{ kind: "missing-blob", id: ids[0] }],
    {
      ok: false,
      error: {
        kind: "git",
        command: "ls-tree -r -z --full-tree --end-of-options HEAD",
        exitCode: 128,
        stderr: expect.stringMatching(/^the repository is a partial clone .*git fetch --refetch --no-filter/),
      },
    },
    [2],
  ]);
  expect(JSON.stringify([missing, treeless])).not.toContain("hint:");
});

test("a grafts file of the repository has no say, and git gives no advice about it", async () => {
  using directory = temporaryDirectory();
  const root = directory.path;
  makeRepository(root, { a: { kind: "file", bytes: "a" } });
  plainGit(root, ["commit", "--quiet", "--allow-empty", "--message=Second"]);
  const head = plainGit(root, ["rev-parse", "HEAD"]);
  mkdirSync(`${root}/.git/info`, { recursive: true });
  writeFileSync(`${root}/.git/info/grafts`, `${head}\n`);
  const plain = plainGit(root, ["rev-list", "--count", "HEAD"]);
  const counted = unwrap(await runGit(git, { cwd: root, args: ["rev-list", "--count", "HEAD"] }), "count");
  const failed = await runGit(git, { cwd: root, args: ["merge-base", "HEAD", "nothing"] });
  expect([plain, Buffer.from(counted).toString(), failed.ok ? "" : failed.error.stderr]).toEqual([
    "1",
    "2\n",
    "fatal: Not a valid object name nothing",
  ]);
});
