// The top of the repository that a directory lies in, found by looking and not by asking git: starting git takes longer than all else that
// a run needs before its first request.

import { dirname, join } from "node:path";
import type { Files } from "../host/files.ts";

/** The nearest directory with a `.git`, from `directory` (absolute, without symlinks) upwards; null where there is none. */
export async function repositoryTop(files: Files, directory: string): Promise<string | null> {
  for (let at = directory; ; at = dirname(at)) {
    if ((await files.stat(join(at, ".git"))).ok) return at;
    if (at === dirname(at)) return null;
  }
}

/** From the top down to the directory, both included; the directory alone outside a repository. */
export function directoriesDown(top: string | null, directory: string): readonly string[] {
  const found = [directory];
  for (let at = directory; top !== null && at !== top && at !== dirname(at); ) {
    at = dirname(at);
    found.unshift(at);
  }
  return found;
}
