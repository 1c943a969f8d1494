// What a workspace's tree holds beyond its base: everything shell commands and tools did, as one list of changes.
// Invariant: a path that could not be read is never taken for a deleted one.

import { unreachable } from "../../base/assert.ts";
import type { RepoPath } from "../../base/ids.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { NewBlob } from "../../log/log.ts";
import type { Change, Entry } from "../types.ts";
import type { WorkspaceError } from "./errors.ts";
import type { Looks, Seen } from "./looks.ts";
import { isAsked, type SkippedPath, type WalkOptions, walk } from "./walk.ts";

export interface Scan {
  /** Sorted by path (UTF-16 order), at most one a path. */
  readonly changes: readonly Change[];
  /** The contents of every put, each once. */
  readonly blobs: readonly NewBlob[];
  /** What was found and not taken; tracked ones of these stay in the base as they were. */
  readonly skipped: readonly SkippedPath[];
}

export interface ScanOptions extends WalkOptions {
  readonly looks: Looks;
  /** Base paths that could not be written here: their absence is no deletion. */
  readonly unsupported: ReadonlySet<RepoPath>;
  /** The file system's time at the start of the scan, milliseconds. */
  readonly atMs: number;
  readonly fileBytesMax: number;
  readonly scanBytesMax: number;
}

const looksAtOnceMax = 32;

interface Found {
  readonly changes: Change[];
  readonly blobs: Map<string, NewBlob>;
  readonly skipped: SkippedPath[];
  readonly seen: Set<RepoPath>;
  bytes: number;
}

export async function scan(options: ScanOptions): Promise<Result<Scan, WorkspaceError>> {
  const walked = await walk(options);
  if (!walked.ok) return walked;
  const found: Found = {
    changes: [],
    blobs: new Map(),
    skipped: [...walked.value.skipped],
    seen: new Set(walked.value.kept),
    bytes: 0,
  };
  for (let start = 0; start < walked.value.found.length; start += looksAtOnceMax) {
    const paths = walked.value.found.slice(start, start + looksAtOnceMax);
    const looked = await Promise.all(paths.map((path) => lookAt(options, path)));
    for (const [index, path] of paths.entries()) take(options, found, path, looked[index]!);
    if (found.bytes > options.scanBytesMax) {
      return err({ kind: "scan-limit", what: "bytes", max: options.scanBytesMax });
    }
  }
  const { untouched } = walked.value;
  for (const path of options.base.keys()) {
    if (isWithin(untouched, path)) continue;
    if (found.seen.has(path) || options.unsupported.has(path) || !isAsked(options.only ?? [], path)) continue;
    options.looks.forget(path);
    found.changes.push({ kind: "delete", path });
  }
  found.changes.sort((a, b) => (a.path < b.path ? -1 : 1));
  return ok({ changes: found.changes, blobs: [...found.blobs.values()], skipped: found.skipped });
}

/** Whether one of these directories holds the path. */
function isWithin(directories: ReadonlySet<string>, path: RepoPath): boolean {
  if (directories.size === 0) return false;
  if (directories.has("")) return true;
  for (let end = path.indexOf("/"); end !== -1; end = path.indexOf("/", end + 1)) {
    if (directories.has(path.slice(0, end))) return true;
  }
  return false;
}

/** The bytes are read only of what differs from the base. */
async function lookAt({ looks, base, atMs }: ScanOptions, path: RepoPath): Promise<Seen> {
  const seen = await looks.see(path, atMs);
  if (seen.kind !== "entry" || seen.bytes !== null || sameEntry(seen.entry, base.get(path))) return seen;
  return looks.read(path, atMs);
}

function take(options: ScanOptions, found: Found, path: RepoPath, seen: Seen): void {
  const skip = (reason: SkippedPath["reason"], detail: string) => {
    found.seen.add(path);
    found.skipped.push({ path, reason, detail });
  };
  switch (seen.kind) {
    case "absent":
    case "directory":
      // Gone, or replaced, since its directory was listed.
      return;
    case "special":
      skip("special-file", "a pipe, socket or device: only files and links are kept");
      return;
    case "too-large":
      skip("too-large", `${seen.size} bytes; a file may have ${options.fileBytesMax}`);
      return;
    case "unstable":
      skip("unstable", "it was being written during every reading");
      return;
    case "unreadable":
      skip("unreadable", seen.error.message);
      return;
    case "entry": {
      found.seen.add(path);
      const { entry, bytes } = seen;
      if (sameEntry(entry, options.base.get(path))) return;
      found.changes.push({ kind: "put", path, blob: entry.blob, mode: entry.mode });
      if (bytes === null || found.blobs.has(entry.blob)) return;
      found.blobs.set(entry.blob, { id: entry.blob, bytes });
      found.bytes += bytes.length;
      return;
    }
    default:
      unreachable(seen);
  }
}

export function sameEntry(left: Entry, right: Entry | undefined): boolean {
  return right !== undefined && left.blob === right.blob && left.mode === right.mode;
}
