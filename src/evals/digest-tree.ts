// What tells one tree of files from another: names, kinds, contents and whether a file is executable, in an order of its own.

import { createHash } from "node:crypto";
import { join } from "node:path";
import { ok, type Result } from "../base/result.ts";
import type { FileError, Files } from "../host/files.ts";

const entriesMax = 20_000;
const fileBytesMax = 1024 * 1024 * 1024;

/** Each entry is one line of JSON, so that no names and contents of one tree can be those of another. */
export async function digestTree(
  files: Files,
  directory: string,
  update: (part: string) => void,
  inside = "",
): Promise<Result<void, FileError>> {
  const entries = await files.list(join(directory, inside), entriesMax);
  if (!entries.ok) return entries;
  for (const { name, kind } of entries.value) {
    const path = inside === "" ? name : `${inside}/${name}`;
    if (kind === "directory") {
      update(`${JSON.stringify([path, kind])}\n`);
      const below = await digestTree(files, directory, update, path);
      if (!below.ok) return below;
      continue;
    }
    const content =
      kind === "symlink" ? await files.readLink(join(directory, path)) : await digestFile(files, join(directory, path));
    if (!content.ok) return content;
    update(`${JSON.stringify([path, kind, content.value])}\n`);
  }
  return ok(undefined);
}

async function digestFile(files: Files, path: string): Promise<Result<readonly [boolean, string], FileError>> {
  const stat = await files.stat(path);
  if (!stat.ok) return stat;
  const bytes = await files.read(path, fileBytesMax);
  if (!bytes.ok) return bytes;
  return ok([stat.value.executable, createHash("sha256").update(bytes.value).digest("hex")]);
}
