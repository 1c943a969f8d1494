// Puts the new content of a file in place of the old in one step: a crash or a full disk leaves the old content, never half of the new.

import { createHash } from "node:crypto";
import { dirname, join } from "node:path";
import type { FileResult, Files } from "../host/files.ts";

/** Begins the name of a file that is being written, beside its target; one left over is of a process that was killed. */
export const temporaryPrefix = ".skein-tmp-";

/** Creates or replaces `path` (no symlink; its directory exists); an existing file keeps its mode. */
export async function replaceFile(files: Files, path: string, bytes: Uint8Array): FileResult<void> {
  const temporary = join(dirname(path), temporaryPrefix + createHash("sha256").update(path).digest("hex").slice(0, 12));
  const done = await writeAndRename(files, { path, temporary, bytes });
  if (!done.ok) await files.remove(temporary);
  return done;
}

async function writeAndRename(
  files: Files,
  names: { path: string; temporary: string; bytes: Uint8Array },
): FileResult<void> {
  const { path, temporary, bytes } = names;
  const before = await files.stat(path);
  if (!before.ok && before.error.code !== "not-found") return before;
  // A copy takes the mode along; where blocks are shared it costs nothing. Either way no link at `temporary` is written through.
  const prepared = before.ok ? await files.copy(path, temporary) : await files.remove(temporary);
  if (!prepared.ok) return prepared;
  const written = await files.write(temporary, bytes);
  return written.ok ? files.rename(temporary, path) : written;
}
