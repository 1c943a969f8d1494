// What each file held when it was last looked at, so that an unchanged one is not read again.
// Invariant (git's racy rule): a look is trusted only if the file last changed clearly before the look; a change in the same
// tick of the file system's clock would leave the same time stamp.

import { join } from "node:path";
import type { RepoPath } from "../../base/ids.ts";
import { asBlobId } from "../../base/ids.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { FileError, FileStat, Files } from "../../host/files.ts";
import type { ObjectFormat } from "../../log/blob-id.ts";
import { blobId } from "../blob-id.ts";
import type { Entry, Mode } from "../types.ts";

/** Coarser than the tick of any local file system's clock. */
const racyMs = 20;

const readTriesMax = 3;
const linkTargetBytesMax = 64 * 1024;

export type Seen =
  | { readonly kind: "absent" }
  /** `bytes` only where the content was read just now. */
  | { readonly kind: "entry"; readonly entry: Entry; readonly size: number; readonly bytes: Uint8Array | null }
  | { readonly kind: "directory" }
  | { readonly kind: "special" }
  | { readonly kind: "too-large"; readonly size: number }
  /** It changed under every reading. */
  | { readonly kind: "unstable" }
  | { readonly kind: "unreadable"; readonly error: FileError };

interface Look {
  readonly stat: FileStat;
  readonly entry: Entry;
  /** The file system's time when the look began, milliseconds. */
  readonly atMs: number;
}

export interface Looks {
  /** What is at `path` now. The caller has made sure that its parents are real directories. */
  see(path: RepoPath, atMs: number): Promise<Seen>;
  /** As `see`, but with the bytes of an entry in every case. */
  read(path: RepoPath, atMs: number): Promise<Seen>;
  /** Takes note of a file whose content is known because it was just written. */
  remember(path: RepoPath, entry: Entry, stat: FileStat, atMs: number): void;
  forget(path: RepoPath): void;
}

export interface LooksOptions {
  readonly files: Files;
  readonly root: string;
  readonly fileBytesMax: number;
  readonly idFormat: ObjectFormat;
}

export function openLooks(options: LooksOptions): Looks {
  const { files, root, fileBytesMax, idFormat } = options;
  const looks = new Map<RepoPath, Look>();
  return {
    see: (path, atMs) => look(path, atMs, false),
    read: (path, atMs) => look(path, atMs, true),
    remember: (path, entry, stat, atMs) => void looks.set(path, { stat, entry, atMs }),
    forget: (path) => void looks.delete(path),
  };

  async function look(path: RepoPath, atMs: number, withBytes: boolean): Promise<Seen> {
    const absolute = join(root, path);
    for (let tries = 0; tries < readTriesMax; tries += 1) {
      const before = await files.stat(absolute);
      if (!before.ok) return missing(before.error);
      const stat = before.value;
      const mode = modeOf(stat);
      if (mode === null) return stat.kind === "directory" ? { kind: "directory" } : { kind: "special" };
      const known = looks.get(path);
      if (!withBytes && known !== undefined && trusted(known, stat)) {
        return { kind: "entry", entry: known.entry, size: stat.size, bytes: null };
      }
      if (stat.size > fileBytesMax) return { kind: "too-large", size: stat.size };
      const bytes = await content(absolute, stat);
      const after = await files.stat(absolute);
      // Seen again after the reading: a file swapped for a symlink, or one that is being written, is not taken half.
      if (!after.ok || !sameStat(after.value, stat)) continue;
      if (!bytes.ok) return { kind: "unreadable", error: bytes.error };
      const entry: Entry = { blob: asBlobId(blobId(bytes.value, idFormat)), mode };
      looks.set(path, { stat, entry, atMs });
      return { kind: "entry", entry, size: bytes.value.length, bytes: bytes.value };
    }
    return { kind: "unstable" };
  }

  async function content(absolute: string, stat: FileStat): Promise<Result<Uint8Array, FileError>> {
    if (stat.kind === "file") return files.read(absolute, fileBytesMax);
    const target = await files.readLink(absolute);
    if (!target.ok) return target;
    // The port gives text: a target of other bytes arrives with replacement characters and would be committed altered.
    if (target.value.includes("\ufffd") || target.value.length > linkTargetBytesMax) {
      return err({ kind: "file", code: "other", path: absolute, message: "the link's target is not UTF-8 text" });
    }
    return ok(Buffer.from(target.value));
  }
}

function missing(error: FileError): Seen {
  const absent = error.code === "not-found" || error.code === "not-directory";
  return absent ? { kind: "absent" } : { kind: "unreadable", error };
}

function modeOf(stat: FileStat): Mode | null {
  if (stat.kind === "symlink") return "120000";
  if (stat.kind !== "file") return null;
  return stat.executable ? "100755" : "100644";
}

function trusted(look: Look, stat: FileStat): boolean {
  return sameStat(look.stat, stat) && stat.changedMs < look.atMs - racyMs;
}

function sameStat(left: FileStat, right: FileStat): boolean {
  return (
    left.kind === right.kind &&
    left.size === right.size &&
    left.executable === right.executable &&
    left.changedMs === right.changedMs
  );
}
