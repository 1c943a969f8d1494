// The fold of the VCS's records: heads, commits, conflict objects and answers. Recovery after a crash is this fold again.

import { assert, unreachable } from "../base/assert.ts";
import { asPosition, type ConflictId, type Position } from "../base/ids.ts";
import type { Fold } from "../log/fold.ts";
import type { StoredRecord } from "../log/log.ts";
import { AnswerTable } from "./answer-table.ts";
import { CommitTable } from "./commit-table.ts";
import {
  type RecordedConflictPath,
  readVcsRecord,
  type VcsRecord,
  type VcsRecordData,
  vcsRecordVersions,
} from "./records.ts";
import type { VcsState } from "./state.ts";
import { vcsStateCodec } from "./state-codec.ts";
import type { Author, Conflict, ConflictPath } from "./types.ts";
import { importedRow, VersionTable } from "./version-table.ts";

export const vcsFold: Fold<VcsState> = {
  name: "vcs",
  version: 3,
  types: vcsRecordVersions,
  codec: vcsStateCodec(initialState),
  initial: initialState,
  apply(state, record) {
    const own = readVcsRecord(record);
    if (own !== null) applyRecord(state, own, record);
  },
};

function initialState(): VcsState {
  return {
    imported: null,
    coming: null,
    versions: new VersionTable(20),
    commits: new CommitTable(),
    conflicts: new Map(),
    openConflicts: new Map(),
    answers: new AnswerTable(),
    named: [],
    discarded: [],
    keptFrom: asPosition(0),
    figures: { commits: 0, mergedCommits: 0, mergedPaths: 0, conflictsFound: 0, conflictsResolved: 0 },
  };
}

function applyRecord(state: VcsState, record: VcsRecord, stored: StoredRecord): void {
  // A record with the number n shows in the snapshots from n + 1 on.
  const at = asPosition(stored.position + 1);
  switch (record.type) {
    case "import":
      beginImport(state, record.data, stored.position);
      return;
    case "import_history": {
      if (state.coming !== null) showComing(state, record.data);
      assert(state.imported !== null, "a history comes with an import");
      const { commit, tree } = record.data;
      state.imported = { ...state.imported, tip: { commit, tree, position: at } };
      return;
    }
    case "commit":
      applyCommit(state.coming?.state ?? state, record.data, at);
      return;
    case "commit_unchanged":
      state.answers.add(record.data.key, at);
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
      state.answers.add(record.data.key, at);
      return;
    case "collected":
      state.keptFrom = record.data.kept_from;
      return;
    default:
      unreachable(record);
  }
}

/** One that broke off before it has no meaning any more. */
function beginImport(state: VcsState, data: VcsRecordData<"import">, position: Position): void {
  assert(state.imported === null, "a store has one import");
  state.coming = data.coming === 0 ? null : { from: position, commits: data.coming, state: initialState() };
  applyImport(state.coming?.state ?? state, data, asPosition(position + 1));
}

/** All that came is shown at once. */
function showComing(state: VcsState, { commits }: VcsRecordData<"import_history">): void {
  const { coming } = state;
  assert(coming !== null && coming.commits === commits, "as many commits come as were announced");
  assert(coming.state.commits.length === commits, "all commits of a history are there when it ends");
  Object.assign(state, coming.state);
}

function applyImport(state: VcsState, data: VcsRecordData<"import">, at: Position): void {
  const { source, object_format: objectFormat, paths, modes, blobs } = data;
  assert(paths.length === modes.length && paths.length === blobs.length, "an import's columns have one length");
  const { commit, tree } = source;
  state.imported = { source, objectFormat, position: at, tip: { commit, tree, position: at } };
  state.versions = new VersionTable(objectFormat === "sha1" ? 20 : 32);
  for (const [index, path] of paths.entries()) {
    const [mode, blob] = [modes[index], blobs[index]];
    assert(mode !== undefined && blob !== undefined, "an import's columns have one length");
    state.versions.add(path, { blob, mode }, importedRow);
  }
}

function applyCommit(state: VcsState, data: VcsRecordData<"commit">, at: Position): void {
  const { key, author, changes, merged, resolves, discarded } = data;
  const { commits, versions, figures, named } = state;
  const commit = commits.length;
  commits.add(at, versions.rows, author);
  for (const change of changes) {
    versions.add(change.path, change.kind === "put" ? { blob: change.blob, mode: change.mode } : null, commit);
  }
  for (const { proposed, head } of merged) named.push({ at, blob: proposed.blob }, { at, blob: head.blob });
  for (const side of discarded) state.discarded.push(side);
  const { mergedCommits, mergedPaths, conflictsFound, conflictsResolved } = figures;
  state.figures = {
    commits: commits.length,
    mergedCommits: mergedCommits + (merged.length > 0 ? 1 : 0),
    mergedPaths: mergedPaths + merged.length,
    conflictsFound,
    conflictsResolved,
  };
  if (resolves !== null) closeConflict(state, resolves.conflict, resolves.resolved_by, at);
  state.answers.add(key, at);
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
  state.answers.add(data.key, at);
}

function applyJoined(state: VcsState, data: VcsRecordData<"conflict_joined">, at: Position): void {
  const conflict = openConflict(state, data.conflict);
  const commits = [...conflict.commits, heldCommit(data, at)];
  state.conflicts.set(conflict.id, { ...conflict, head: at, paths: data.paths.map(readPath), commits });
  state.answers.add(data.key, at);
}

function heldCommit(data: VcsRecordData<"conflict">, position: Position): Conflict["commits"][number] {
  const { key, base, author, message, changes, bases } = data;
  const commit = { key, base, author, message, changes, position };
  return bases.length === 0 ? commit : { ...commit, bases: new Map(bases.map(({ path, from }) => [path, from])) };
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
