// The tagged code of a file operation, so that a test compares a list of outcomes at once.

import type { FileError, FileResult } from "../../host/files.ts";

export async function codeOf(result: FileResult<unknown>): Promise<FileError["code"] | "ok"> {
  const settled = await result;
  return settled.ok ? "ok" : settled.error.code;
}
