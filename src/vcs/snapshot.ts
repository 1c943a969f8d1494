// Reading the state at a position: snapshots are immutable, so that what is read at one never changes.

import { asPosition, type Position, type RepoPath } from "../base/ids.ts";
import type { VcsState } from "./state.ts";
import type { Author, Change, Entry, Manifest } from "./types.ts";
import { importedRow, type Row } from "./version-table.ts";

/** The path's entry in the snapshot, or null. Costs one step for each change of the path since then. */
export function entryAt(state: VcsState, path: RepoPath, at: Position): Entry | null {
  return entryOfRow(state, rowAt(state, state.versions.head(path), at));
}

/** The whole tree of a snapshot, in the order in which paths first appeared in the store. */
export function manifestAt(state: VcsState, at: Position): Manifest {
  return new Map(entriesAt(state, at));
}

/** Also while commits land: their paths come behind, and snapshots do not change. */
export function* entriesAt(state: VcsState, at: Position): Generator<readonly [RepoPath, Entry]> {
  for (const path of state.versions.names()) {
    const entry = entryAt(state, path, at);
    if (entry !== null) yield [path, entry];
  }
}

export function headEntry(state: VcsState, path: RepoPath): Entry | null {
  return entryOfRow(state, state.versions.head(path));
}

/** The first snapshot that shows the path as it is on the head; null for a path that never was. */
export function lastChangedAt(state: VcsState, path: RepoPath): Position | null {
  const row = state.versions.head(path);
  return row === -1 ? null : shownFrom(state, row);
}

/** Who last changed (or deleted) the path; null if it came with the import or never was. */
export function headAuthor(state: VcsState, path: RepoPath): Author | null {
  const row = state.versions.head(path);
  const commit = row === -1 ? importedRow : state.versions.commit(row);
  return commit === importedRow ? null : state.commits.author(commit);
}

export function sameEntry(a: Entry | null, b: Entry | null): boolean {
  if (a === null || b === null) return a === b;
  return a.blob === b.blob && a.mode === b.mode;
}

/** The first snapshot that shows the row. */
export function shownFrom(state: VcsState, row: Row): Position {
  const commit = state.versions.commit(row);
  return commit === importedRow ? (state.imported?.position ?? asPosition(0)) : state.commits.position(commit);
}

/** The newest row of the path at or before `row` that the snapshot shows; -1 if there is none. */
export function rowAt(state: VcsState, row: Row, at: Position): Row {
  let found = row;
  while (found !== -1 && shownFrom(state, found) > at) found = state.versions.older(found);
  return found;
}

/** What the commit left at the paths it changed, in the order of its record. */
export function changesOf(state: VcsState, commit: number): readonly Change[] {
  const { versions, commits } = state;
  const end = commit + 1 < commits.length ? commits.firstRow(commit + 1) : versions.rows;
  const changes: Change[] = [];
  for (let row = commits.firstRow(commit); row < end; row += 1) {
    const [path, entry] = [versions.path(row), versions.entry(row)];
    changes.push(entry === null ? { kind: "delete", path } : { kind: "put", path, ...entry });
  }
  return changes;
}

function entryOfRow(state: VcsState, row: Row): Entry | null {
  return row === -1 ? null : state.versions.entry(row);
}
