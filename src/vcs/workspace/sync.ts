// Brings a workspace to another snapshot. Invariant: only files that still hold what the base holds are touched; everything the
// agent changed, added or put in the way stays and is reported as an overlap.

import type { BlobId, RepoPath } from "../../base/ids.ts";
import { ok, type Result } from "../../base/result.ts";
import type { BlobSource, Entry, Manifest } from "../types.ts";
import type { BlobCache } from "./blob-cache.ts";
import type { WorkspaceError } from "./errors.ts";
import type { Looks, Seen } from "./looks.ts";
import { type Place, parentsOf } from "./place.ts";
import { sameEntry } from "./scan.ts";

export interface SyncReport {
  /** Paths that were written or removed. */
  readonly updated: readonly RepoPath[];
  /** Paths that differ in the new snapshot and were left as the agent has them. */
  readonly overlaps: readonly RepoPath[];
}

export interface SyncOptions {
  readonly place: Place;
  readonly looks: Looks;
  readonly cache: BlobCache;
  readonly blobs: BlobSource;
  /** Changed in place, path by path, as files are brought up. */
  readonly base: Map<RepoPath, Entry>;
  readonly unsupported: Set<RepoPath>;
  readonly target: Manifest;
  readonly atMs: number;
}

interface Report {
  readonly updated: RepoPath[];
  readonly overlaps: RepoPath[];
}

type Step = Promise<Result<void, WorkspaceError>>;

export async function sync(options: SyncOptions): Promise<Result<SyncReport, WorkspaceError>> {
  const { base, target, cache, blobs } = options;
  const report: Report = { updated: [], overlaps: [] };
  const gone = [...base.keys()].filter((path) => !target.has(path));
  const put = [...target].filter(([path, entry]) => !sameEntry(entry, base.get(path)));
  // All bytes first: a source that fails leaves the tree as it was.
  const filled = await cache.fill(
    put.flatMap(([, entry]) => blobIds(entry)),
    blobs,
  );
  if (!filled.ok) return filled;
  // Removals first, deepest first: a directory may make room for a file of its name, and the other way round.
  for (const path of gone.sort((a, b) => (a < b ? 1 : -1))) {
    const removed = await removeOne(options, report, path);
    if (!removed.ok) return removed;
  }
  for (const [path, entry] of put) {
    const placed = await putOne(options, report, path, entry);
    if (!placed.ok) return placed;
  }
  return ok(report);
}

/**
 * Paths that are the agent's for certain: a file that holds neither what the base has nor what the target has, or one that the agent has
 * removed. Where a file and a directory change places only the sync itself can tell.
 */
export async function plainOverlaps(
  options: Pick<SyncOptions, "place" | "looks" | "base" | "unsupported" | "target" | "atMs">,
): Promise<Result<readonly RepoPath[], WorkspaceError>> {
  const { base, target, unsupported } = options;
  const found: RepoPath[] = [];
  for (const path of new Set([...base.keys(), ...target.keys()])) {
    const [before, after] = [base.get(path), target.get(path)];
    if (same(before, after) || unsupported.has(path)) continue;
    const seen = await seeSafely(options, path);
    if (!seen.ok) return seen;
    const { value } = seen;
    const isGone = value.kind === "absent" && before !== undefined && after !== undefined;
    const isOther = value.kind === "entry" && !sameEntry(value.entry, before) && !sameEntry(value.entry, after);
    if (isGone || isOther) found.push(path);
  }
  return ok(found);
}

/** Of a sync that was cut off: the base of what it had brought is the target's. */
export async function noteBrought(
  options: Pick<SyncOptions, "place" | "looks" | "base" | "target" | "atMs">,
): Promise<Result<void, WorkspaceError>> {
  const { base, target } = options;
  for (const path of new Set([...base.keys(), ...target.keys()])) {
    const [before, after] = [base.get(path), target.get(path)];
    if (same(before, after)) continue;
    const seen = await seeSafely(options, path);
    if (!seen.ok) return seen;
    const { value } = seen;
    if (after === undefined && value.kind !== "entry") base.delete(path);
    if (after !== undefined && value.kind === "entry" && sameEntry(value.entry, after)) base.set(path, after);
  }
  return ok(undefined);
}

async function removeOne(options: SyncOptions, report: Report, path: RepoPath): Step {
  const { place, base, unsupported } = options;
  const seen = await seeSafely(options, path);
  if (!seen.ok) return seen;
  const entry = base.get(path);
  // Behind a link or a file the tree has no such path either.
  const absent = seen.value.kind === "absent" || seen.value.kind === "blocked";
  if (!absent && !(await holds(options, path, seen.value, entry))) {
    report.overlaps.push(path);
    return ok(undefined);
  }
  if (!absent && entry?.mode !== "160000") {
    const removed = await place.removeFile(path);
    if (!removed.ok) return removed;
  }
  base.delete(path);
  unsupported.delete(path);
  options.looks.forget(path);
  if (absent) return ok(undefined);
  report.updated.push(path);
  return prune(options, path);
}

/** Git keeps no empty directories: those the removal emptied go too. */
async function prune({ place }: SyncOptions, path: RepoPath): Step {
  for (const parent of parentsOf(path).toReversed()) {
    const removed = await place.removeEmptyDirectory(parent);
    if (!removed.ok) return removed;
    if (!removed.value) break;
  }
  return ok(undefined);
}

async function putOne(options: SyncOptions, report: Report, path: RepoPath, entry: Entry): Step {
  const { place, base, unsupported, looks, atMs } = options;
  const seen = await seeSafely(options, path);
  if (!seen.ok) return seen;
  if (seen.value.kind === "entry" && sameEntry(seen.value.entry, entry)) {
    base.set(path, entry);
    unsupported.delete(path);
    return ok(undefined);
  }
  if (!(await hasRoom(options, path, seen.value))) {
    report.overlaps.push(path);
    return ok(undefined);
  }
  const made = await place.makeParents(path);
  if (!made.ok) return made;
  const placed = await place.put(path, entry);
  if (!placed.ok) return placed;
  base.set(path, entry);
  if (placed.value.kind === "placed") {
    unsupported.delete(path);
    looks.remember(path, entry, placed.value.stat, atMs);
  } else {
    unsupported.add(path);
    looks.forget(path);
    const old = await place.removeFile(path);
    if (!old.ok) return old;
  }
  report.updated.push(path);
  return ok(undefined);
}

/** Whether the new content may take the path: nothing of the agent's is there. */
async function hasRoom(options: SyncOptions, path: RepoPath, seen: SeenSafely): Promise<boolean> {
  const { base, place, unsupported } = options;
  const entry = base.get(path);
  if (seen.kind === "absent") return entry === undefined || unsupported.has(path);
  if (seen.kind === "directory" && (entry === undefined || entry.mode === "160000")) {
    const removed = await place.removeEmptyDirectory(path);
    return removed.ok && removed.value;
  }
  return holds(options, path, seen, entry);
}

/** Whether the path holds what the base says. */
async function holds(
  options: SyncOptions,
  path: RepoPath,
  seen: SeenSafely,
  entry: Entry | undefined,
): Promise<boolean> {
  if (entry === undefined) return false;
  if (seen.kind === "entry") return sameEntry(seen.entry, entry);
  if (seen.kind !== "directory" || entry.mode !== "160000") return false;
  // A submodule's directory with files in it stays.
  const removed = await options.place.removeEmptyDirectory(path);
  return removed.ok && removed.value;
}

/** `blocked`: a parent is a symlink or a file, and what lies behind it is none of ours. */
type SeenSafely = Seen | { readonly kind: "blocked" };

async function seeSafely(
  { place, looks, atMs }: Pick<SyncOptions, "place" | "looks" | "atMs">,
  path: RepoPath,
): Promise<Result<SeenSafely, WorkspaceError>> {
  const parents = await place.parents(path);
  if (!parents.ok) return parents;
  if (parents.value === "missing") return ok({ kind: "absent" });
  if (parents.value === "blocked") return ok({ kind: "blocked" });
  return ok(await looks.see(path, atMs));
}

function same(before: Entry | undefined, after: Entry | undefined): boolean {
  return before === undefined ? after === undefined : sameEntry(before, after);
}

function blobIds(entry: Entry): readonly BlobId[] {
  return entry.mode === "160000" ? [] : [entry.blob];
}
