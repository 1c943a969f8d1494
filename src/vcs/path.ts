// Which texts are paths inside a repository: relative, and nothing that git or a file system would take for something
// else. A RepoPath made here can be checked out on any system without reaching `.git` or leaving the tree.

import type { RepoPath } from "../base/ids.ts";
import { err, ok, type Result } from "../base/result.ts";

export interface PathError {
  readonly kind: "path";
  /** Without the path itself. */
  readonly reason: string;
}

/** In UTF-8: what Linux file systems take as one name. */
export const pathPartBytesMax = 255;
/** In UTF-8: below Linux's PATH_MAX of 4096 with room for the tree's own place. */
export const pathBytesMax = 4_000;

/**
 * Refuses what `verify_path` in git's read-cache.c refuses, with `core.protectHFS` and `core.protectNTFS` both on
 * whatever the system, since others check the tree out elsewhere: a repository is never given a name that a Mac or
 * Windows reads as `.git`. A backslash is an ordinary character, as in git outside Windows.
 */
export function parseRepoPath(text: string): Result<RepoPath, PathError> {
  const reason = refusal(text);
  return reason === null ? ok(text as RepoPath) : err({ kind: "path", reason });
}

function refusal(text: string): string | null {
  if (text === "") return "it is empty";
  if (!text.isWellFormed()) return "it is not well-formed Unicode";
  if (text.includes("\0")) return "it has a NUL character";
  if (text.startsWith("/")) return "it is absolute; paths are relative to the repository's root";
  if (Buffer.byteLength(text) > pathBytesMax) return `it is longer than ${pathBytesMax} bytes`;
  for (const part of text.split("/")) {
    const bad = partRefusal(part);
    if (bad !== null) return bad;
  }
  return null;
}

function partRefusal(part: string): string | null {
  if (part === "") return "it has an empty part";
  if (part === "." || part === "..") return `it has the part "${part}"`;
  if (Buffer.byteLength(part) > pathPartBytesMax) return `a part of it is longer than ${pathPartBytesMax} bytes`;
  if (isGitOnHfs(part) || part.split("\\").some(isGitOnNtfs))
    return "a part of it is read as .git by git or by a file system";
  return null;
}

/** The code points that HFS+ ignores in names: `next_hfs_char` in git's utf8.c. */
const HFS_IGNORED = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

function isGitOnHfs(part: string): boolean {
  return /^\.git$/i.test(part.replace(HFS_IGNORED, ""));
}

/** NTFS drops dots and spaces at the end and a stream's name after a colon; `git~1` is the short name (`is_ntfs_dotgit` in git's path.c). */
function isGitOnNtfs(part: string): boolean {
  return /^(?:\.git|git~1)[. ]*(?::|$)/i.test(part);
}
