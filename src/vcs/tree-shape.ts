// A path is a file or a directory, never both: what stands in the way of a put, on the head or within one commit.

import type { RepoPath } from "../base/ids.ts";
import type { VcsState } from "./state.ts";
import type { Change } from "./types.ts";

/** A file of the head that cannot stand beside the file put at `path`: `by` is above it, or below it. */
export interface Obstacle {
  readonly path: RepoPath;
  readonly by: RepoPath;
}

/** Files of the head that the puts cannot stand beside and that the same changes do not delete. */
export function obstacles(state: VcsState, changes: readonly Change[]): readonly Obstacle[] {
  let deleted: ReadonlySet<RepoPath> | null = null;
  const found: Obstacle[] = [];
  for (const change of changes) {
    // What is a file already stands in its place.
    if (change.kind !== "put" || isFile(state, change.path)) continue;
    const { path } = change;
    deleted ??= new Set(changes.flatMap((each) => (each.kind === "delete" ? [each.path] : [])));
    for (const above of ancestors(path)) {
      if (isFile(state, above) && !deleted.has(above)) found.push({ path, by: above });
    }
    if (!state.versions.hasDirectory(path)) continue;
    // Rare enough to look at every path: a file takes the place of a directory.
    for (const below of state.versions.names()) {
      if (below.startsWith(`${path}/`) && !deleted.has(below) && isFile(state, below)) found.push({ path, by: below });
    }
  }
  return found;
}

/** Pairs of these paths of which one would have to be both a file and a directory: all can stand together if there is none. */
export function contradictions(paths: Iterable<RepoPath>): readonly Obstacle[] {
  const all = new Set(paths);
  const found: Obstacle[] = [];
  for (const path of all) {
    for (const above of ancestors(path)) if (all.has(above)) found.push({ path, by: above });
  }
  return found;
}

function isFile({ versions }: VcsState, path: RepoPath): boolean {
  const row = versions.head(path);
  return row !== -1 && !versions.isDeleted(row);
}

/** `a` and `a/b` for `a/b/c`. */
export function* ancestors(path: RepoPath): Generator<RepoPath> {
  for (let slash = path.indexOf("/"); slash !== -1; slash = path.indexOf("/", slash + 1)) {
    // A leading part of a valid path, cut at a slash, is a valid path.
    yield path.slice(0, slash) as RepoPath;
  }
}
