// Takes back what a command has made of a store that it could not begin: the files of the new store, and directories that were not
// there before. Nothing that was there is touched.

import { dirname } from "node:path";
import type { Files } from "../host/files.ts";
import { largeDirectory } from "../log/large-blobs.ts";
import { checkpointsDirectory } from "../log/segments/checkpoint-files.ts";
import { lockPath } from "../log/segments/lock-path.ts";
import { logFilePath } from "../log/segments/log-file.ts";
import { segmentsDirectory } from "../log/segments/segment-files.ts";

export interface Before {
  /** A store was there, or part of one. */
  readonly hadStore: boolean;
  /** The highest directory that was not there; null where the store's own was. */
  readonly missing: string | null;
}

/** How things stand before a store is made. */
export async function lookBefore(files: Files, directory: string): Promise<Before> {
  const parts = [segmentsDirectory(directory), logFilePath(directory), lockPath(directory)];
  const found = await Promise.all(parts.map(async (path) => (await files.stat(path)).ok));
  let missing: string | null = null;
  for (let path = directory; !(await files.stat(path)).ok; path = dirname(path)) {
    missing = path;
    if (path === dirname(path)) break;
  }
  return { hadStore: found.includes(true), missing };
}

/** Best effort, by the store's writer while it holds the lock. */
export async function takeBack(files: Files, directory: string, { hadStore, missing }: Before): Promise<void> {
  if (hadStore) return;
  if (missing !== null) {
    await files.remove(missing);
    return;
  }
  const parts = [segmentsDirectory, checkpointsDirectory, largeDirectory, logFilePath, lockPath];
  for (const part of parts) await files.remove(part(directory));
}
