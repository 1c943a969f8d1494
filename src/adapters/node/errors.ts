// Turns Node's errno exceptions into the ports' tagged errors. Anything without a code is a bug and is thrown on.

import { ok, type Result } from "../../base/result.ts";
import type { FileError, FileResult } from "../../host/files.ts";

const FILE_CODES: Readonly<Record<string, FileError["code"]>> = {
  ENOENT: "not-found",
  EEXIST: "exists",
  ENOTDIR: "not-directory",
  EISDIR: "is-directory",
  ERR_FS_EISDIR: "is-directory",
  ENOTEMPTY: "not-empty",
  EACCES: "denied",
  EPERM: "denied",
  EROFS: "read-only",
  ENOSPC: "no-space",
  EDQUOT: "no-space",
  EIO: "io",
  EFBIG: "too-large",
};

/** Runs one file operation; a system error becomes a FileError for `path`. */
export async function attempt<T>(path: string, work: () => Promise<T>): FileResult<T> {
  try {
    return ok(await work());
  } catch (cause) {
    return { ok: false, error: fileError(path, cause) };
  }
}

/** A FileError that no system call made. */
export function fileFault(path: string, code: FileError["code"], message: string): Result<never, FileError> {
  return { ok: false, error: { kind: "file", code, path, message } };
}

export function fileError(path: string, cause: unknown): FileError {
  const { code, message } = systemError(cause);
  return { kind: "file", code: FILE_CODES[code] ?? "other", path, message };
}

/** The code and text of a system error (`ENOENT`, `ERR_…`); throws `cause` where it is something else. */
export function systemError(cause: unknown): { readonly code: string; readonly message: string } {
  if (cause instanceof Error && "code" in cause && typeof cause.code === "string") {
    return {
      code: cause.code,
      message: cause.message.startsWith(cause.code) ? cause.message : `${cause.code}: ${cause.message}`,
    };
  }
  throw cause;
}
