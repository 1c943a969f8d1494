// Copies one regular file. The target is made afresh and never written through: an old file, symlink or hard link there is replaced whole.

import { constants } from "node:fs";
import { chmod, copyFile, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { FileResult } from "../../host/files.ts";
import { attempt, fileError, fileFault } from "./errors.ts";
import { executableMode, usualFileMode } from "./mode.ts";
import { nodeRandom } from "./random.ts";

/** O_EXCL refuses whatever is at the target, a dangling symlink too. */
const COPY_MODE = constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL;

export async function copyFileTo(
  from: string,
  to: string,
  options?: { readonly executable?: boolean },
): FileResult<void> {
  const source = await attempt(from, () => stat(from));
  if (!source.ok) return source;
  if (source.value.isDirectory()) return fileFault(from, "is-directory", "EISDIR: is a directory");
  if (!source.value.isFile()) return fileFault(from, "other", "not a regular file");

  const fresh = await attempt(to, () => copyFresh(from, to, options?.executable));
  if (fresh.ok || fresh.error.code !== "exists") return fresh;

  // Something is there: it stays until the whole copy stands beside it.
  const beside = join(dirname(to), `.skein-copy-${nodeRandom.letters(12)}`);
  try {
    await copyFresh(from, beside, options?.executable);
    await rename(beside, to);
  } catch (cause) {
    await rm(beside, { force: true });
    return { ok: false, error: fileError(to, cause) };
  }
  return { ok: true, value: undefined };
}

async function copyFresh(from: string, to: string, executable: boolean | undefined): Promise<void> {
  await copyFile(from, to, COPY_MODE);
  if (executable === undefined) return;
  try {
    const wanted = executableMode(usualFileMode(), executable);
    const { mode } = await stat(to);
    if (wanted !== (mode & 0o777)) await chmod(to, wanted);
  } catch (cause) {
    await rm(to, { force: true });
    throw cause;
  }
}
