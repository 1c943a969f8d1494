// Conflict objects as seen by a commit: which open one it belongs to, and the sides of its paths as they are now.

import type { Position, RepoPath, TaskId } from "../base/ids.ts";
import { entryAt, lastChangedAt, sameEntry } from "./snapshot.ts";
import type { VcsState } from "./state.ts";
import { entryOf, type Proposal, proposalFrom, sidesOf, type Together } from "./together.ts";
import { contradictions, obstacles } from "./tree-shape.ts";
import type { Change, Conflict, ConflictPath, Entry } from "./types.ts";

/** The task's oldest open conflict object of which a held commit changes one of these paths; null if there is none. */
export function conflictTouched(state: VcsState, task: TaskId, changes: readonly Change[]): Conflict | null {
  const open = state.openConflicts.get(task);
  if (open === undefined) return null;
  const touched = new Set(changes.map(({ path }) => path));
  for (const id of open) {
    const conflict = state.conflicts.get(id);
    if (conflict !== undefined && heldPaths(conflict).some((path) => touched.has(path))) return conflict;
  }
  return null;
}

/** Every path of the object: those in conflict and those its commits change. */
export function heldPaths(conflict: Conflict): readonly RepoPath[] {
  const paths = new Set(conflict.paths.map(({ path }) => path));
  for (const commit of conflict.commits) for (const { path } of commit.changes) paths.add(path);
  return [...paths];
}

/**
 * What the held commits change together, one proposal a path: the newest content, against what the path had where the
 * first of them that changes it was made. (Where a later one began from another content, the path is in conflict.)
 */
export function heldProposals(state: VcsState, conflict: Conflict): ReadonlyMap<RepoPath, Proposal> {
  const proposals = new Map<RepoPath, Proposal>();
  for (const commit of conflict.commits) {
    for (const change of commit.changes) {
      const first = proposals.get(change.path);
      const own = first ?? proposalFrom(state, change, commit.bases?.get(change.path) ?? commit.base);
      proposals.set(change.path, { ...own, change });
    }
  }
  return proposals;
}

export interface Meeting {
  readonly together: Together;
  /** The snapshot the changes were made from. */
  readonly base: Position;
  /** Sides that are in conflict already, for example those of the object that a commit joins. */
  readonly before: readonly ConflictPath[];
  /** What the object's commits change already. */
  readonly held: ReadonlyMap<RepoPath, Proposal>;
}

/**
 * The paths in conflict, each once, sides taken now: those before, those that could not be brought together, and files
 * and directories in each other's place, on the head or among the changes of several held commits (then both paths are
 * named, so that a resolution can choose).
 */
export function conflictPaths(state: VcsState, { together, base, before, held }: Meeting): readonly ConflictPath[] {
  const paths = new Map<RepoPath, ConflictPath>();
  const add = (path: RepoPath, baseEntry: Entry | null, theirs: Entry | null) => {
    if (!paths.has(path)) paths.set(path, sidesOf(state, path, baseEntry, theirs));
  };
  for (const side of before) add(side.path, side.base, side.theirs);
  for (const { change, base: baseEntry } of together.contested) add(change.path, baseEntry, entryOf(change));
  // A deletion that is itself in conflict clears no way: the resolution may keep the file.
  const contested = [...before.map(asChange), ...together.contested.map(({ change }) => change)];
  const proposed = [...together.changes, ...contested.filter(({ kind }) => kind === "put")];
  // The sides are what was proposed: a content that was only merged for a landing is not kept.
  const proposals = new Map([...together.taken, ...together.contested].map((each) => [each.change.path, each]));
  const puts = proposed.filter(({ kind }) => kind === "put").map(({ path }) => path);
  for (const { path, by } of [...obstacles(state, proposed), ...contradictions(puts)]) {
    for (const each of [path, by]) {
      const own = proposals.get(each) ?? held.get(each);
      if (own === undefined) add(each, entryAt(state, each, base), null);
      else add(each, own.base, entryOf(own.change));
    }
  }
  return [...paths.values()];
}

/** True if the head's side of any path has changed after the snapshot. */
export function headMoved(state: VcsState, paths: readonly ConflictPath[], since: Position): boolean {
  return paths.some(({ path }) => (lastChangedAt(state, path) ?? 0) > since);
}

/** True if both lists name the same paths with the same sides. */
export function sameSides(a: readonly ConflictPath[], b: readonly ConflictPath[]): boolean {
  if (a.length !== b.length) return false;
  return a.every((side, index) => {
    const other = b[index];
    return (
      other !== undefined &&
      side.path === other.path &&
      sameEntry(side.base, other.base) &&
      sameEntry(side.ours, other.ours) &&
      sameEntry(side.theirs, other.theirs) &&
      side.oursAuthor?.agent === other.oursAuthor?.agent &&
      side.oursAuthor?.task === other.oursAuthor?.task
    );
  });
}

function asChange({ path, theirs }: ConflictPath): Change {
  return theirs === null ? { kind: "delete", path } : { kind: "put", path, ...theirs };
}
