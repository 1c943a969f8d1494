// One way of making workspaces, measured in a process of its own: it may be in namespaces, of a plain user, or on a file system that only
// it sees. Usage: `run <wish as JSON>`; prints one line of JSON.

import { execFileSync } from "node:child_process";
import { appendFileSync, cpSync, mkdirSync, statfsSync } from "node:fs";
import { join } from "node:path";
import { nodeHost } from "../../src/adapters/node/host.ts";
import { asPosition, type BlobId, type RepoPath } from "../../src/base/ids.ts";
import { unwrap } from "../../src/base/result.ts";
import { blobId } from "../../src/vcs/blob-id.ts";
import type { Entry } from "../../src/vcs/types.ts";
import { openBlobCache } from "../../src/vcs/workspace/blob-cache.ts";
import { openGitBases } from "../../src/vcs/workspace/git-bases.ts";
import { Overlays } from "../../src/vcs/workspace/overlay/overlays.ts";
import { createWorkspace, type Workspace } from "../../src/vcs/workspace/workspace.ts";

export interface RunWish {
  readonly way: "overlay" | "workspace" | "worktree" | "copy";
  /** Empty, and there. */
  readonly directory: string;
  readonly files: number;
  readonly count: number;
  readonly demote: readonly string[];
  /** Bytes are what the file system has less: it is nobody else's. */
  readonly ownFileSystem: boolean;
}

export interface RunResult {
  readonly firstMs: number;
  readonly eachMs: readonly number[];
  readonly bytesEach: number;
  /** Finding what a command of a shell changed in five files. */
  readonly scanMs: readonly number[];
}

const scansMax = 16;
const fileBytes = 4_096;
const wish = JSON.parse(process.argv[2] ?? "{}") as RunWish;
const { directory } = wish;
const names = Array.from({ length: wish.files }, (_, index) => `d${index % 100}/s${index % 7}/file${index}.txt`);
const contentOf = (index: number): Buffer => Buffer.alloc(fileBytes, `line of file ${index}\n`);

switch (wish.way) {
  case "overlay":
  case "workspace":
    await ofOurs(wish.way === "overlay");
    break;
  case "worktree":
  case "copy":
    ofOthers(wish.way);
    break;
}

async function ofOurs(overlay: boolean): Promise<void> {
  const { files, processes } = nodeHost();
  const path = process.env.PATH ?? "";
  const contents = new Map<BlobId, Uint8Array>();
  const manifest = new Map(
    names.map((name, index): [RepoPath, Entry] => {
      const bytes = contentOf(index);
      contents.set(blobId(bytes), bytes);
      return [name as RepoPath, { blob: blobId(bytes), mode: "100644" }];
    }),
  );
  const blobs = { get: async (ids: readonly BlobId[]) => ids.map((id) => contents.get(id) ?? new Uint8Array()) };
  const place = join(directory, "workspaces");
  mkdirSync(place, { recursive: true });
  const cache = openBlobCache({ files, directory: join(directory, "blobs") });
  const spawn: typeof processes.spawn = (spec) =>
    processes.spawn({ ...spec, argv: [...wish.demote, ...spec.argv] as [string, ...string[]] });
  const bases = openGitBases({ files, git: { processes: { spawn }, path }, directory: join(place, "git-bases") });
  const common = { files, blobs, cache, git: { kind: "base", bases } } as const;
  const onUnavailable = (reason: string): never => {
    throw new Error(reason);
  };
  const manifestAt = async () => manifest;
  const overlays = overlay
    ? new Overlays({
        ...common,
        processes,
        path,
        directory: place,
        bases,
        manifestAt,
        epoch: "bench",
        fileBytesMax: 2 ** 24,
        onUnavailable,
      })
    : null;
  const made: Workspace[] = [];
  const times: number[] = [];
  let before = used();
  for (let number = 0; number <= wish.count; number += 1) {
    const start = performance.now();
    const snapshot = { position: asPosition(1), manifest: new Map(manifest) };
    made.push(
      unwrap(await createWorkspace({ ...common, overlays, directory: join(place, `w${number}`), snapshot }), "make"),
    );
    times.push(performance.now() - start);
    if (number === 0) before = used();
  }
  const bytesEach = wish.ownFileSystem
    ? (used() - before) / wish.count
    : average(made.slice(1, scansMax + 1).map(({ root }) => sizeOf(join(root, overlay ? "../.." : ".."))));
  const scanMs: number[] = [];
  for (const workspace of made.slice(1, scansMax + 1)) {
    touch(workspace.root);
    const start = performance.now();
    const { changes } = unwrap(await workspace.scan(), "scan");
    scanMs.push(performance.now() - start);
    if (changes.length !== 5) throw new Error(`${changes.length} changes were found, not 5`);
  }
  for (const workspace of made) unwrap(await workspace.remove(), "remove");
  await overlays?.close();
  print({ times, bytesEach, scanMs });
}

function ofOthers(way: "worktree" | "copy"): void {
  const source = join(directory, "source");
  for (const [index, name] of names.entries()) {
    mkdirSync(join(source, name, ".."), { recursive: true });
    appendFileSync(join(source, name), contentOf(index));
  }
  git(source, ["init", "-q"]);
  // Nothing is to be packed behind the copies' back.
  git(source, ["config", "gc.auto", "0"]);
  git(source, ["config", "maintenance.auto", "false"]);
  git(source, ["add", "-A"]);
  git(source, ["-c", "user.name=n", "-c", "user.email=e", "commit", "-qm", "all"]);
  const times: number[] = [];
  let before = used();
  for (let number = 0; number <= wish.count; number += 1) {
    const start = performance.now();
    const target = join(directory, `w${number}`);
    if (way === "worktree") git(source, ["worktree", "add", "-q", "--detach", target]);
    else cpSync(source, target, { recursive: true });
    times.push(performance.now() - start);
    if (number === 0) before = used();
  }
  const roots = times.slice(1, scansMax + 1).map((_, index) => join(directory, `w${index + 1}`));
  const bytesEach = wish.ownFileSystem ? (used() - before) / wish.count : average(roots.map(sizeOf));
  const scanMs: number[] = [];
  for (const root of roots) {
    // As in a workspace that has been looked at before.
    git(root, ["status", "--porcelain"]);
    touch(root);
    const start = performance.now();
    git(root, ["status", "--porcelain"]);
    scanMs.push(performance.now() - start);
  }
  print({ times, bytesEach, scanMs });
}

function print({
  times,
  ...rest
}: { readonly times: readonly number[] } & Omit<RunResult, "firstMs" | "eachMs">): void {
  const [firstMs = 0, ...eachMs] = times;
  console.log(JSON.stringify({ firstMs, eachMs, ...rest } satisfies RunResult));
}

function touch(root: string): void {
  for (const index of [0, 1, 2, 3, 4]) appendFileSync(join(root, names[index] ?? ""), "more\n");
}

function used(): number {
  if (wish.ownFileSystem) execFileSync("sync", ["-f", directory]);
  const { blocks, bfree, bsize } = statfsSync(directory);
  return (blocks - bfree) * bsize;
}

function sizeOf(path: string): number {
  return Number(execFileSync("du", ["-sx", "--block-size=1", path], { encoding: "utf8" }).split("\t")[0]);
}

function average(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

function git(cwd: string, args: readonly string[]): void {
  const env = { PATH: process.env.PATH ?? "", HOME: directory, GIT_CONFIG_NOSYSTEM: "1" };
  execFileSync("git", args, { cwd, env, maxBuffer: 2 ** 28 });
}
