// Removes a file, symlink or tree, also one whose directories forbid writing (module caches and overlay work directories do).

import { chmod, lstat, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { ok } from "../../base/result.ts";
import type { FileResult } from "../../host/files.ts";
import { attempt } from "./errors.ts";

export async function removeTree(path: string): FileResult<void> {
  const removed = await removeOnce(path);
  if (removed.ok || removed.error.code !== "denied") return removed;
  const opened = await attempt(path, () => allowRemoval(path));
  return opened.ok ? removeOnce(path) : removed;
}

async function removeOnce(path: string): FileResult<void> {
  // `rm` unlinks a symlink and does not enter it.
  const removed = await attempt(path, () => rm(path, { recursive: true, force: true }));
  // Below a file nothing can exist: the path is missing, and that is fine.
  return !removed.ok && removed.error.code === "not-directory" ? ok(undefined) : removed;
}

async function allowRemoval(directory: string): Promise<void> {
  const stats = await lstat(directory);
  if (!stats.isDirectory()) return;
  if ((stats.mode & 0o700) !== 0o700) await chmod(directory, 0o700);
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    if (entry.isDirectory()) await allowRemoval(join(directory, entry.name));
  }
}
