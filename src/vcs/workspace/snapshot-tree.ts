// A directory as a snapshot: every file that belongs to it as an entry, its content in the cache. The directory is only read; a file
// that cannot be taken is named, never left out without a word.

import type { BlobId, RepoPath } from "../../base/ids.ts";
import { ok, type Result } from "../../base/result.ts";
import type { Entry, Manifest } from "../types.ts";
import type { BlobCache } from "./blob-cache.ts";
import type { WorkspaceError } from "./errors.ts";
import type { Looks, Seen } from "./looks.ts";
import { type SkippedPath, type WalkOptions, walk } from "./walk.ts";

export interface SnapshotOptions extends Omit<WalkOptions, "base"> {
  /** What git tracks belongs to the tree also where it is ignored; empty without git. */
  readonly tracked: ReadonlyMap<RepoPath, Entry>;
  readonly looks: Looks;
  readonly cache: BlobCache;
  /** The file system's time at the start, milliseconds. */
  readonly atMs: number;
}

export interface TreeSnapshot {
  readonly manifest: Manifest;
  readonly skipped: readonly SkippedPath[];
}

/** Their contents are in memory together. */
const looksAtOnceMax = 32;

export async function snapshotTree(options: SnapshotOptions): Promise<Result<TreeSnapshot, WorkspaceError>> {
  const walked = await walk({ ...options, base: options.tracked });
  if (!walked.ok) return walked;
  const manifest = new Map<RepoPath, Entry>();
  const skipped: SkippedPath[] = [...walked.value.skipped];
  for (let start = 0; start < walked.value.found.length; start += looksAtOnceMax) {
    const paths = walked.value.found.slice(start, start + looksAtOnceMax);
    const taken = await takeGroup(options, paths, skipped);
    if (!taken.ok) return taken;
    for (const [path, entry] of taken.value) manifest.set(path, entry);
  }
  return ok({ manifest, skipped });
}

type Taken = readonly (readonly [RepoPath, Entry])[];

async function takeGroup(
  { looks, cache, atMs }: SnapshotOptions,
  paths: readonly RepoPath[],
  skipped: SkippedPath[],
): Promise<Result<Taken, WorkspaceError>> {
  const seen = await Promise.all(paths.map((path) => looks.see(path, atMs)));
  const taken: (readonly [RepoPath, Entry])[] = [];
  const contents = new Map<BlobId, { readonly path: RepoPath; readonly bytes: Uint8Array | null }>();
  for (const [index, path] of paths.entries()) {
    const one = seen[index];
    if (one === undefined) continue;
    if (one.kind !== "entry") {
      const reason = reasonOf(one);
      if (reason !== null) skipped.push({ path, ...reason });
      continue;
    }
    taken.push([path, one.entry]);
    contents.set(one.entry.blob, { path, bytes: one.bytes });
  }
  const filled = await cache.fill(contents.keys(), {
    get: (ids) => Promise.all(ids.map((id) => contentOf(looks, contents.get(id), atMs))),
  });
  return filled.ok ? ok(taken) : filled;
}

/** A file that changed since it was looked at gives other bytes, which the cache refuses. */
async function contentOf(
  looks: Looks,
  content: { readonly path: RepoPath; readonly bytes: Uint8Array | null } | undefined,
  atMs: number,
): Promise<Uint8Array> {
  if (content === undefined) return new Uint8Array();
  if (content.bytes !== null) return content.bytes;
  const again = await looks.read(content.path, atMs);
  return (again.kind === "entry" ? again.bytes : null) ?? new Uint8Array();
}

function reasonOf(seen: Exclude<Seen, { kind: "entry" }>): Omit<SkippedPath, "path"> | null {
  switch (seen.kind) {
    case "absent":
    case "directory":
      // Gone since its directory was listed.
      return null;
    case "special":
      return { reason: "special-file", detail: "a pipe, socket or device: only files and links are taken" };
    case "too-large":
      return { reason: "too-large", detail: `${seen.size} bytes` };
    case "unstable":
      return { reason: "unstable", detail: "it was being written during every reading" };
    case "unreadable":
      return { reason: "unreadable", detail: seen.error.message };
  }
}
