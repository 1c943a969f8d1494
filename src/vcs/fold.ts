// The fold of the VCS's records: heads, commits, conflict objects and answers. Recovery after a crash is this fold again.

import { assert, unreachable } from "../base/assert.ts";
import { asPosition, type ConflictId, type Position, type RepoPath } from "../base/ids.ts";
import type { Fold } from "../log/fold.ts";
import type { StoredRecord } from "../log/log.ts";
import { type RecordedConflictPath, readVcsRecord, type VcsRecord, type VcsRecordData } from "./records.ts";
import type { VcsState, Version } from "./state.ts";
import { ancestors } from "./tree-shape.ts";
import type { Author, Conflict, ConflictPath, Entry, SettledOutcome } from "./types.ts";

export const vcsFold: Fold<VcsState> = {
  name: "vcs",
  version: 1,
  initial: () => ({
    imported: null,
    versions: new Map(),
    directories: new Map(),
    commits: [],
    conflicts: new Map(),
    openConflicts: new Map(),
    answers: new Map(),
    figures: { commits: 0, mergedCommits: 0, mergedPaths: 0, conflictsFound: 0, conflictsResolved: 0 },
  }),
  apply(state, record) {
    const own = readVcsRecord(record);
    if (own !== null) applyRecord(state, own, record);
  },
};

function applyRecord(state: VcsState, record: VcsRecord, stored: StoredRecord): void {
  // A record with the number n shows in the snapshots from n + 1 on.
  const at = asPosition(stored.position + 1);
  switch (record.type) {
    case "import":
      applyImport(state, record.data, at);
      return;
    case "commit":
      applyCommit(state, record.data, at, stored.atMs);
      return;
    case "commit_unchanged":
      remember(state, record.data, { kind: "unchanged", position: at });
      return;
    case "conflict":
      applyConflict(state, record.data, at);
      return;
    case "conflict_joined":
      applyJoined(state, record.data, at);
      return;
    case "conflict_refreshed": {
      const conflict = openConflict(state, record.data.conflict);
      state.conflicts.set(conflict.id, { ...conflict, head: at, paths: record.data.paths.map(readPath) });
      return;
    }
    case "conflict_resolved":
      closeConflict(state, record.data.conflict, record.data.author, at);
      remember(state, record.data, { kind: "unchanged", position: at });
      return;
    default:
      unreachable(record);
  }
}

function applyImport(state: VcsState, data: VcsRecordData<"import">, at: Position): void {
  const { source, object_format: objectFormat, paths, modes, blobs } = data;
  assert(state.imported === null, "a store has one import");
  assert(paths.length === modes.length && paths.length === blobs.length, "an import's columns have one length");
  state.imported = { source, objectFormat, position: at };
  for (const [index, path] of paths.entries()) {
    const [mode, blob] = [modes[index], blobs[index]];
    assert(mode !== undefined && blob !== undefined, "an import's columns have one length");
    setEntry(state, path, { at, entry: { blob, mode }, commit: null });
  }
}

function applyCommit(state: VcsState, data: VcsRecordData<"commit">, at: Position, atMs: number): void {
  const { author, message, base, changes, merged, resolves, discarded } = data;
  const commit = state.commits.length;
  const resolved = resolves?.conflict ?? null;
  const landed = { position: at, atMs, author, message, base, changes, merged, resolves: resolved };
  state.commits.push(discarded.length === 0 ? landed : { ...landed, discarded });
  for (const change of changes) {
    const entry: Entry | null = change.kind === "put" ? { blob: change.blob, mode: change.mode } : null;
    setEntry(state, change.path, { at, entry, commit });
  }
  const { figures } = state;
  state.figures = {
    ...figures,
    commits: figures.commits + 1,
    mergedCommits: figures.mergedCommits + (merged.length > 0 ? 1 : 0),
    mergedPaths: figures.mergedPaths + merged.length,
  };
  if (resolves !== null) closeConflict(state, resolves.conflict, resolves.resolved_by, at);
  remember(state, data, { kind: "landed", position: at, merged: merged.map(({ path }) => path) });
}

function applyConflict(state: VcsState, data: VcsRecordData<"conflict">, at: Position): void {
  const { conflict: id, author, paths } = data;
  assert(!state.conflicts.has(id), `${id} is a new conflict`);
  state.conflicts.set(id, {
    id,
    state: "open",
    author,
    head: at,
    paths: paths.map(readPath),
    commits: [heldCommit(data, at)],
    resolvedAt: null,
    resolvedBy: null,
  });
  state.openConflicts.set(author.task, [...(state.openConflicts.get(author.task) ?? []), id]);
  state.figures = { ...state.figures, conflictsFound: state.figures.conflictsFound + 1 };
  remember(state, data, { kind: "conflict", position: at, conflict: id, joined: false });
}

function applyJoined(state: VcsState, data: VcsRecordData<"conflict_joined">, at: Position): void {
  const conflict = openConflict(state, data.conflict);
  const commits = [...conflict.commits, heldCommit(data, at)];
  state.conflicts.set(conflict.id, { ...conflict, head: at, paths: data.paths.map(readPath), commits });
  remember(state, data, { kind: "conflict", position: at, conflict: conflict.id, joined: true });
}

function heldCommit(data: VcsRecordData<"conflict">, position: Position): Conflict["commits"][number] {
  const { key, base, author, message, changes } = data;
  return { key, base, author, message, changes, position };
}

function readPath({ path, base, ours, theirs, ours_author: oursAuthor }: RecordedConflictPath): ConflictPath {
  return { path, base, ours, theirs, oursAuthor };
}

function openConflict(state: VcsState, id: ConflictId): Conflict {
  const conflict = state.conflicts.get(id);
  assert(conflict !== undefined && conflict.state === "open", `${id} is an open conflict`);
  return conflict;
}

function closeConflict(state: VcsState, id: ConflictId, resolvedBy: Author, at: Position): void {
  const conflict = openConflict(state, id);
  const { task } = conflict.author;
  state.conflicts.set(id, { ...conflict, state: "resolved", resolvedAt: at, resolvedBy });
  const left = (state.openConflicts.get(task) ?? []).filter((open) => open !== id);
  if (left.length > 0) state.openConflicts.set(task, left);
  else state.openConflicts.delete(task);
  state.figures = { ...state.figures, conflictsResolved: state.figures.conflictsResolved + 1 };
}

function remember(state: VcsState, data: VcsRecordData<"commit_unchanged">, outcome: SettledOutcome): void {
  assert(!state.answers.has(data.key), `${data.key} was answered once`);
  state.answers.set(data.key, { outcome, digest: data.digest });
}

function setEntry(state: VcsState, path: RepoPath, version: Omit<Version, "older">): void {
  const older = state.versions.get(path) ?? null;
  const before = older?.entry ?? null;
  state.versions.set(path, { ...version, older });
  const step = (version.entry === null ? 0 : 1) - (before === null ? 0 : 1);
  if (step === 0) return;
  for (const directory of ancestors(path)) {
    const files = (state.directories.get(directory) ?? 0) + step;
    if (files > 0) state.directories.set(directory, files);
    else state.directories.delete(directory);
  }
}
