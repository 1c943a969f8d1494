// What is to become of a commit, decided from the state alone in one synchronous step: whoever acts on a plan before the
// next `await` acts on the head it was made for.

import { conflictPaths, conflictTouched, heldProposals } from "./conflicts.ts";
import type { Merges } from "./merges.ts";
import type { Plan } from "./plan-kinds.ts";
import { lostDirectory } from "./renames/follow.ts";
import { planResolution } from "./resolution.ts";
import { entryAt, headEntry, sameEntry, shownFrom } from "./snapshot.ts";
import type { VcsState } from "./state.ts";
import { bringTogether, entryOf, type Proposal, proposalFrom, sidesOf, type Together } from "./together.ts";
import { obstacles } from "./tree-shape.ts";
import type { Change, CommitRequest, Conflict, ConflictPath } from "./types.ts";

export function planCommit(state: VcsState, request: CommitRequest, merges: Merges): Plan {
  if (request.resolves !== undefined) return planResolution(state, request, request.resolves, merges);
  const conflict = conflictTouched(state, request.author.task, request.changes);
  if (conflict !== null) return planJoin(state, request, conflict, merges);
  return planFree(state, request) ?? planOrdinary(state, request, merges);
}

/**
 * Nearly every commit: nobody has changed its paths since its base, and nothing of it is in anybody's way. Null where that is
 * not so, or some change is none. Looks at numbers alone: no entry is made of them.
 */
function planFree(state: VcsState, { base, changes, reads = [], bases }: CommitRequest): Plan | null {
  if (reads.length > 0 || changes.length === 0 || bases !== undefined) return null;
  const { versions, commits } = state;
  let isNew = false;
  let isDeleting = false;
  for (const change of changes) {
    const row = versions.head(change.path);
    if (row !== -1 && shownFrom(state, row) > base) return null;
    const stands = row !== -1 && !versions.isDeleted(row);
    if (change.kind === "delete" ? !stands : stands && versions.holds(row, change)) return null;
    isNew ||= !stands;
    isDeleting ||= change.kind === "delete";
    // The directory may have been moved away.
    if (!stands && lostDirectory(state, change.path) !== null) return null;
  }
  // It may move a directory to which others have added meanwhile.
  if (isNew && isDeleting && commits.countAt(base) < commits.length) return null;
  // A file in its place is in nobody's way. Its own paths stand together, or it would have been refused.
  if (isNew && obstacles(state, changes).length > 0) return null;
  return landing({ changes: changes.map(copyOf), merged: [], mergedBlobs: [], moved: [] });
}

function copyOf(change: Change): Change {
  const { kind, path } = change;
  return kind === "delete" ? { kind, path } : { kind, path, blob: change.blob, mode: change.mode };
}

function planOrdinary(state: VcsState, request: CommitRequest, merges: Merges): Plan {
  const { base, changes, bases } = request;
  const proposals = changes.map((change) => proposalFrom(state, change, bases?.get(change.path) ?? base));
  const together = bringTogether(state, proposals, merges);
  if (together.needs.length > 0) return { kind: "merge", needs: together.needs };
  if (together.changes.length === 0 && together.contested.length === 0) return { kind: "unchanged" };
  const before = movedReads(state, request);
  const isFree = together.contested.length === 0 && before.length === 0;
  if (isFree && obstacles(state, together.changes).length === 0) return landing(together);
  const paths = conflictPaths(state, { together, base, before, held: new Map() });
  if (paths.length > 0) return { kind: "conflict", paths };
  return landing(together);
}

type Landed = Pick<Together, "changes" | "merged" | "mergedBlobs" | "moved">;

function landing({ changes, merged, mergedBlobs, moved }: Landed): Plan {
  return { kind: "land", landing: { changes, merged, mergedBlobs, moved, resolves: null } };
}

/**
 * The object's sides become the newest, and paths of this commit that meet the head too are added to it. So are paths
 * that the head changed between the bases of two held commits: whether the later content was made from the older base or
 * the newer one cannot be known, and merging against the wrong one would drop somebody's lines.
 */
function planJoin(state: VcsState, request: CommitRequest, conflict: Conflict, merges: Merges): Plan {
  const { base, changes, bases } = request;
  const held = heldProposals(state, conflict);
  const inConflict = new Set(conflict.paths.map(({ path }) => path));
  const others: Proposal[] = [];
  const unclear: Proposal[] = [];
  for (const change of changes) {
    if (inConflict.has(change.path)) continue;
    const own = proposalFrom(state, change, bases?.get(change.path) ?? base);
    const first = held.get(change.path);
    if (first === undefined || sameEntry(first.base, own.base)) others.push(own);
    else unclear.push({ ...own, base: first.base });
  }
  const together = bringTogether(state, others, merges, inConflict);
  if (together.needs.length > 0) return { kind: "merge", needs: together.needs };
  const newest = new Map(changes.map((change) => [change.path, entryOf(change)]));
  const before = conflict.paths.map((side) => {
    const theirs = newest.get(side.path);
    return theirs === undefined ? side : { ...side, theirs };
  });
  const contested = [...unclear, ...together.contested];
  const reads = movedReads(state, request).filter(({ path }) => !inConflict.has(path));
  const paths = conflictPaths(state, {
    together: { ...together, contested },
    base,
    before: [...before, ...reads],
    held,
  });
  return { kind: "join", conflict: conflict.id, paths };
}

/**
 * Paths that the commit was made from, does not change, and that stand otherwise on the head now: what it wrote may not hold
 * any more (write skew). Its own side of such a path is what it read.
 */
function movedReads(state: VcsState, { base, changes, reads = [] }: CommitRequest): readonly ConflictPath[] {
  if (reads.length === 0) return [];
  const changed = new Set(changes.map(({ path }) => path));
  const moved: ConflictPath[] = [];
  for (const path of new Set(reads)) {
    const read = entryAt(state, path, base);
    if (!changed.has(path) && !sameEntry(read, headEntry(state, path))) moved.push(sidesOf(state, path, read, read));
  }
  return moved;
}
