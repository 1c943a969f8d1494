// Copies a directory with all that is in it: files, directories and symlinks as they are. What is neither is refused.

import { join } from "node:path";
import { err, ok, type Result } from "../base/result.ts";
import type { FileError, Files } from "../host/files.ts";

const entriesMax = 20_000;
const depthMax = 100;

/** `to` is made where it is not there. */
export async function copyTree(files: Files, from: string, to: string, depth = 0): Promise<Result<void, FileError>> {
  if (depth > depthMax) return err({ kind: "file", code: "other", path: from, message: "directories lie too deep" });
  const made = await files.makeDirectory(to);
  if (!made.ok) return made;
  const entries = await files.list(from, entriesMax);
  if (!entries.ok) return entries;
  for (const { name, kind } of entries.value) {
    const [source, target] = [join(from, name), join(to, name)];
    const copied =
      kind === "directory"
        ? await copyTree(files, source, target, depth + 1)
        : kind === "symlink"
          ? await copyLink(files, source, target)
          : await copyFile(files, source, target);
    if (!copied.ok) return copied;
  }
  return ok(undefined);
}

async function copyLink(files: Files, from: string, to: string): Promise<Result<void, FileError>> {
  const target = await files.readLink(from);
  return target.ok ? files.makeLink(target.value, to) : target;
}

async function copyFile(files: Files, from: string, to: string): Promise<Result<void, FileError>> {
  const stat = await files.stat(from);
  if (!stat.ok) return stat;
  return files.copy(from, to, { executable: stat.value.executable });
}
