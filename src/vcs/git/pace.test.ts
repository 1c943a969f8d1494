// A stream in pieces: git's own reading of what it made of it is the measure.

import { join } from "node:path";
import { expect, test } from "vitest";
import { nodeHost } from "../../adapters/node/host.ts";
import { asAgentId, asPosition, asTaskId, type BlobId, type RepoPath } from "../../base/ids.ts";
import { unwrap } from "../../base/result.ts";
import { blobSource, makeRepository, git as plainGit, temporaryDirectory } from "../../testing/git/real-repository.ts";
import { blobId } from "../blob-id.ts";
import type { Change, LandedCommit } from "../types.ts";
import type { Git } from "./command.ts";
import { streamCommits } from "./export-stream.ts";

const { processes, clock } = nodeHost();
const git: Git = { processes, path: process.env.PATH ?? "" };

/** Of one file each: a few bytes, and then more than any piece has. */
function commitsOf(sizes: readonly number[]) {
  const contents = new Map<BlobId, Uint8Array>();
  const commits = sizes.map((size, index): LandedCommit => {
    const bytes = Buffer.alloc(size, `content ${index} progress here\n`);
    const blob = blobId(bytes);
    contents.set(blob, bytes);
    const changes: readonly Change[] = [{ kind: "put", path: `f${index % 10}.txt` as RepoPath, blob, mode: "100644" }];
    return {
      position: asPosition(index + 2),
      atMs: 1_700_000_000_000,
      author: { agent: asAgentId("a1"), task: asTaskId("t1") },
      message: `commit ${index}`,
      base: asPosition(index + 1),
      changes,
      merged: [],
      resolves: null,
    };
  });
  return { commits, contents };
}

const sizes = [...Array.from({ length: 300 }, (_, index) => 10 + 37 * index), 40_000, 300_000, 5];

function options(root: string) {
  const { commits, contents } = commitsOf(sizes);
  return {
    git,
    repository: root,
    parent: plainGit(root, ["rev-parse", "HEAD"]),
    commits: async function* () {
      yield* commits;
    },
    count: commits.length,
    wanted: [...contents.keys()],
    blobs: blobSource(contents),
    describe: () => ({ authorName: "a", authorEmail: "a@localhost", trailers: [] }),
  };
}

test("in pieces git makes what it makes at once, whatever the contents' sizes and words", async () => {
  using directory = temporaryDirectory();
  const root = join(directory.path, "r");
  makeRepository(root, { "a.txt": { kind: "file", bytes: "one\n" } });
  const atOnce = unwrap(await streamCommits(options(root)), "at once");
  plainGit(root, ["prune"]);
  let rests = 0;
  const rest = async (): Promise<void> => void rests++;
  const inPieces = unwrap(await streamCommits({ ...options(root), pace: { clock, rest } }), "in pieces");
  expect(inPieces).toBe(atOnce);
  expect(plainGit(root, ["rev-list", "--count", inPieces])).toBe(String(sizes.length + 1));
  expect(plainGit(root, ["cat-file", "-s", `${inPieces}:f1.txt`])).toBe("300000");
  expect(rests).toBeGreaterThan(10);
});

test("a git that ends in the middle of its pieces is told, and nobody waits for it", async () => {
  using directory = temporaryDirectory();
  const root = join(directory.path, "r");
  makeRepository(root, { "a.txt": { kind: "file", bytes: "one\n" } });
  const stop = new AbortController();
  let rests = 0;
  const rest = async (): Promise<void> => {
    rests += 1;
    if (rests === 3) stop.abort();
  };
  const made = await streamCommits({ ...options(root), signal: stop.signal, pace: { clock, rest } });
  expect([made.ok, rests < 10]).toEqual([false, true]);
});
