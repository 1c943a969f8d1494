// Fills a new workspace's directory. Invariant: directories come first and links last, so that no file can be written through a
// link of the tree; names that are one on this file system are refused before anything is written.

import { join } from "node:path";
import type { RepoPath } from "../../base/ids.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { FileStat, Files } from "../../host/files.ts";
import type { BlobSource, Entry, Manifest } from "../types.ts";
import type { BlobCache } from "./blob-cache.ts";
import type { WorkspaceError } from "./errors.ts";
import type { Looks } from "./looks.ts";
import { type Place, parentsOf } from "./place.ts";

export interface FillOptions {
  readonly files: Files;
  readonly root: string;
  readonly scratch: string;
  readonly place: Place;
  readonly looks: Looks;
  readonly cache: BlobCache;
  readonly blobs: BlobSource;
  readonly manifest: Manifest;
}

const placedAtOnceMax = 16;

/** Writes the whole manifest; answers the paths this system cannot hold. */
export async function fillTree(options: FillOptions): Promise<Result<ReadonlySet<RepoPath>, WorkspaceError>> {
  const { files, root, place, looks, cache, blobs, manifest } = options;
  const unique = await checkNames(options);
  if (!unique.ok) return unique;
  const ids = [...manifest.values()].filter((entry) => entry.mode !== "160000").map((entry) => entry.blob);
  const filled = await cache.fill(ids, blobs);
  if (!filled.ok) return filled;
  const directories = new Set<RepoPath>();
  for (const path of manifest.keys()) for (const parent of parentsOf(path)) directories.add(parent);
  for (const directory of directories) {
    const made = await files.claimDirectory(join(root, directory));
    if (!made.ok) return made;
  }
  const placed = new Map<RepoPath, FileStat>();
  const unsupported = new Set<RepoPath>();
  const plain = [...manifest].filter(([, entry]) => entry.mode !== "120000");
  const links = [...manifest].filter(([, entry]) => entry.mode === "120000");
  for (const group of [...groups(plain), ...groups(links)]) {
    const answers = await Promise.all(group.map(([path, entry]) => place.putFresh(path, entry)));
    for (const [index, answer] of answers.entries()) {
      if (!answer.ok) return answer;
      const path = group[index]![0];
      if (answer.value.kind === "placed") placed.set(path, answer.value.stat);
      else unsupported.add(path);
    }
  }
  // Nobody else knows of the tree yet, so what was written clearly before this moment needs no second reading.
  const atMs = await place.now();
  if (!atMs.ok) return atMs;
  for (const [path, stat] of placed) looks.remember(path, manifest.get(path)!, stat, atMs.value);
  return ok(unsupported);
}

function* groups(entries: readonly (readonly [RepoPath, Entry])[]): Generator<readonly (readonly [RepoPath, Entry])[]> {
  for (let start = 0; start < entries.length; start += placedAtOnceMax)
    yield entries.slice(start, start + placedAtOnceMax);
}

/** Where the file system folds case, two names that fold together would overwrite each other. */
async function checkNames({ files, scratch, manifest }: FillOptions): Promise<Result<void, WorkspaceError>> {
  const probe = await files.write(join(scratch, "case"), Buffer.from("."));
  if (!probe.ok) return probe;
  if (!(await files.stat(join(scratch, "CASE"))).ok) return ok(undefined);
  const folded = new Map<string, RepoPath>();
  for (const path of manifest.keys()) {
    for (const name of [...parentsOf(path), path]) {
      const key = name.normalize("NFC").toLowerCase();
      const other = folded.get(key);
      if (other !== undefined && other !== name) return err({ kind: "name-collision", paths: [other, name] });
      folded.set(key, name);
    }
  }
  return ok(undefined);
}
