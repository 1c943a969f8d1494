// What may be expected to go wrong with a workspace. Paths left alone are no errors: they are reported with the answer.

import { unreachable } from "../../base/assert.ts";
import type { BlobId, RepoPath } from "../../base/ids.ts";
import { cleanLine } from "../../base/text.ts";
import type { FileError } from "../../host/files.ts";
import type { GitError } from "../git/command.ts";

export type WorkspaceError =
  | FileError
  /** The throw-away git repository could not be made. */
  | GitError
  /** A blob source failed, or gave other bytes than the id names. */
  | { readonly kind: "blob"; readonly id: BlobId | null; readonly message: string }
  /** Two paths that are one name on this file system (case or Unicode form). */
  | { readonly kind: "name-collision"; readonly paths: readonly [RepoPath, RepoPath] }
  /** The layers of a workspace could not be mounted, or be copied together. */
  | { readonly kind: "mount"; readonly message: string }
  /** More than one scan takes; nothing was committed or lost. */
  | { readonly kind: "scan-limit"; readonly what: "files" | "bytes"; readonly max: number };

/** For people and models. */
export function workspaceErrorText(error: WorkspaceError): string {
  switch (error.kind) {
    case "file":
    case "blob":
    case "mount":
      return error.message;
    case "git":
      return `git ${error.command} failed: ${error.stderr}`;
    case "name-collision":
      return `${cleanLine(error.paths[0], 300)} and ${cleanLine(error.paths[1], 300)} are one name on this file system`;
    case "scan-limit":
      return `more than ${error.max} ${error.what} would have to be taken`;
    default:
      return unreachable(error);
  }
}
