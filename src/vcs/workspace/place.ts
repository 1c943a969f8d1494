// The only writer of a workspace's tree. Invariant: nothing is written or removed through a symlink; a file appears whole or not
// at all; a directory is removed only when it is empty.

import { dirname, join } from "node:path";
import { unreachable } from "../../base/assert.ts";
import type { RepoPath } from "../../base/ids.ts";
import { ok, type Result } from "../../base/result.ts";
import type { FileError, FileResult, FileStat, Files } from "../../host/files.ts";
import type { Entry } from "../types.ts";
import type { BlobCache } from "./blob-cache.ts";

export interface PlaceOptions {
  readonly files: Files;
  readonly root: string;
  /** On the same file system as the root, and out of the agent's sight. */
  readonly scratch: string;
  readonly cache: BlobCache;
}

export interface Place {
  /** The file system's own time, milliseconds: comparable with `changedMs` whatever this host's clock says. */
  now(): FileResult<number>;
  /** Whether every parent is a real directory; `missing` if one is not there yet, `blocked` if one is something else. */
  parents(path: RepoPath): FileResult<"real" | "missing" | "blocked">;
  /** Creates missing parents; the caller has seen that they are not `blocked`. */
  makeParents(path: RepoPath): FileResult<void>;
  /** Puts a filled blob (or a submodule's empty directory) at `path`, over a file or link but never over a directory. */
  put(path: RepoPath, entry: Entry): Promise<Result<PutAnswer, FileError>>;
  /** As `put`, straight to a name that nothing has: for a tree nobody else knows yet. */
  putFresh(path: RepoPath, entry: Entry): Promise<Result<PutAnswer, FileError>>;
  removeFile(path: RepoPath): FileResult<void>;
  /** Removes the directory if nothing is in it; answers whether it is gone. */
  removeEmptyDirectory(path: RepoPath): FileResult<boolean>;
}

export type PutAnswer =
  | { readonly kind: "placed"; readonly stat: FileStat }
  /** A symlink whose target no file system takes (not UTF-8, empty, NUL, too long): nothing was placed. */
  | { readonly kind: "unsupported" };

const linkTargetBytesMax = 4_095;
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export function openPlace(options: PlaceOptions): Place {
  return new DiskPlace(options);
}

class DiskPlace implements Place {
  private readonly files: Files;
  private readonly root: string;
  private readonly scratch: string;
  private readonly cache: BlobCache;
  private temporaries = 0;

  constructor({ files, root, scratch, cache }: PlaceOptions) {
    this.files = files;
    this.root = root;
    this.scratch = scratch;
    this.cache = cache;
  }

  async now(): FileResult<number> {
    const stamp = join(this.scratch, "now");
    const written = await this.files.write(stamp, Buffer.from("."));
    if (!written.ok) return written;
    const stat = await this.files.stat(stamp);
    return stat.ok ? ok(stat.value.changedMs) : stat;
  }

  async parents(path: RepoPath): FileResult<"real" | "missing" | "blocked"> {
    for (const parent of parentsOf(path)) {
      const stat = await this.files.stat(this.at(parent));
      if (!stat.ok) return stat.error.code === "not-found" ? ok("missing") : stat;
      if (stat.value.kind !== "directory") return ok("blocked");
    }
    return ok("real");
  }

  async makeParents(path: RepoPath): FileResult<void> {
    for (const parent of parentsOf(path)) {
      const made = await this.files.claimDirectory(this.at(parent));
      if (!made.ok && made.error.code !== "exists") return made;
    }
    return ok(undefined);
  }

  async put(path: RepoPath, entry: Entry): Promise<Result<PutAnswer, FileError>> {
    if (entry.mode === "160000") return this.putFresh(path, entry);
    this.temporaries += 1;
    const temporary = join(this.scratch, `new-${this.temporaries}`);
    const made = await this.make(entry, temporary);
    if (!made.ok) return made;
    if (!made.value) return ok({ kind: "unsupported" });
    // A rename replaces a symlink itself, and refuses a directory.
    const renamed = await this.files.rename(temporary, this.at(path));
    if (renamed.ok) return this.placed(path);
    await this.files.remove(temporary);
    return renamed;
  }

  async putFresh(path: RepoPath, entry: Entry): Promise<Result<PutAnswer, FileError>> {
    const made = await this.make(entry, this.at(path));
    if (!made.ok) return made;
    return made.value ? this.placed(path) : ok({ kind: "unsupported" });
  }

  /** False: no file system takes such a link. */
  private async make(entry: Entry, absolute: string): FileResult<boolean> {
    switch (entry.mode) {
      case "100644":
      case "100755":
        return this.makeFile(entry, absolute);
      case "120000":
        return this.makeLink(entry, absolute);
      case "160000": {
        const made = await this.files.claimDirectory(absolute);
        return made.ok || made.error.code === "exists" ? ok(true) : made;
      }
      default:
        return unreachable(entry.mode);
    }
  }

  private async placed(path: RepoPath): Promise<Result<PutAnswer, FileError>> {
    const stat = await this.files.stat(this.at(path));
    return stat.ok ? ok({ kind: "placed", stat: stat.value }) : stat;
  }

  private async makeFile(entry: Entry, absolute: string): FileResult<boolean> {
    const copied = await this.files.copy(this.cache.path(entry.blob), absolute, {
      executable: entry.mode === "100755",
    });
    if (copied.ok) return ok(true);
    await this.files.remove(absolute);
    return copied;
  }

  private async makeLink(entry: Entry, absolute: string): FileResult<boolean> {
    const bytes = await this.files.read(this.cache.path(entry.blob), linkTargetBytesMax);
    if (!bytes.ok) return bytes.error.code === "too-large" ? ok(false) : bytes;
    const target = linkTarget(bytes.value);
    if (target === null) return ok(false);
    const linked = await this.files.makeLink(target, absolute);
    return linked.ok ? ok(true) : linked;
  }

  async removeEmptyDirectory(path: RepoPath): FileResult<boolean> {
    const removed = await this.files.removeEmptyDirectory(this.at(path));
    if (removed.ok) return ok(true);
    const { code } = removed.error;
    return code === "not-empty" || code === "not-directory" || code === "not-found" ? ok(false) : removed;
  }

  removeFile(path: RepoPath): FileResult<void> {
    return this.files.remove(this.at(path));
  }

  private at(path: RepoPath): string {
    return join(this.root, path);
  }
}

/** Outermost first: `a`, then `a/b` for `a/b/c`. */
export function parentsOf(path: RepoPath): readonly RepoPath[] {
  const parents: RepoPath[] = [];
  for (let parent = dirname(path); parent !== "."; parent = dirname(parent)) parents.unshift(parent as RepoPath);
  return parents;
}

function linkTarget(bytes: Uint8Array): string | null {
  if (bytes.length === 0 || bytes.includes(0)) return null;
  try {
    return utf8.decode(bytes);
  } catch {
    return null;
  }
}
