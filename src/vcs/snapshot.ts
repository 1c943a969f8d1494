// Reading the state at a position: snapshots are immutable, so that what is read at one never changes.

import type { Position, RepoPath } from "../base/ids.ts";
import type { VcsState, Version } from "./state.ts";
import type { Author, Entry, Manifest } from "./types.ts";

/** The path's entry in the snapshot, or null. Costs one step for each change of the path since then. */
export function entryAt(state: VcsState, path: RepoPath, at: Position): Entry | null {
  return versionAt(state.versions.get(path), at)?.entry ?? null;
}

/** The whole tree of a snapshot, in the order in which paths first appeared in the store. */
export function manifestAt(state: VcsState, at: Position): Manifest {
  const manifest = new Map<RepoPath, Entry>();
  for (const [path, newest] of state.versions) {
    const entry = versionAt(newest, at)?.entry ?? null;
    if (entry !== null) manifest.set(path, entry);
  }
  return manifest;
}

export function headEntry(state: VcsState, path: RepoPath): Entry | null {
  return state.versions.get(path)?.entry ?? null;
}

/** The first snapshot that shows the path as it is on the head; null for a path that never was. */
export function lastChangedAt(state: VcsState, path: RepoPath): Position | null {
  return state.versions.get(path)?.at ?? null;
}

/** Who last changed (or deleted) the path; null if it came with the import or never was. */
export function headAuthor(state: VcsState, path: RepoPath): Author | null {
  const index = state.versions.get(path)?.commit ?? null;
  return index === null ? null : (state.commits[index]?.author ?? null);
}

export function sameEntry(a: Entry | null, b: Entry | null): boolean {
  if (a === null || b === null) return a === b;
  return a.blob === b.blob && a.mode === b.mode;
}

function versionAt(newest: Version | undefined, at: Position): Version | null {
  let version = newest ?? null;
  while (version !== null && version.at > at) version = version.older;
  return version;
}
