// What is to become of a commit, decided from the state alone in one synchronous step: whoever acts on a plan before the
// next `await` acts on the head it was made for.

import type { ConflictId } from "../base/ids.ts";
import type { NewBlob } from "../log/log.ts";
import { conflictPaths, conflictTouched, heldProposals } from "./conflicts.ts";
import type { Merges } from "./merges.ts";
import { planResolution } from "./resolution.ts";
import { entryAt, sameEntry } from "./snapshot.ts";
import type { VcsState } from "./state.ts";
import type { MergeNeed } from "./three-way.ts";
import { bringTogether, entryOf, type Proposal } from "./together.ts";
import type { Change, CommitRequest, Conflict, ConflictPath, MergedPath } from "./types.ts";

export type Plan =
  /** Not decidable before these are computed. */
  | { readonly kind: "merge"; readonly needs: readonly MergeNeed[] }
  | { readonly kind: "land"; readonly landing: Landing }
  | { readonly kind: "unchanged" }
  | { readonly kind: "conflict"; readonly paths: readonly ConflictPath[] }
  | { readonly kind: "join"; readonly conflict: ConflictId; readonly paths: readonly ConflictPath[] }
  /** A resolution that is what the head already holds: the object closes without a commit. */
  | { readonly kind: "close"; readonly conflict: ConflictId }
  /** The object has changed under its resolution; `paths` are its new sides, null if it has them already. */
  | { readonly kind: "stale"; readonly conflict: ConflictId; readonly paths: readonly ConflictPath[] | null }
  | { readonly kind: "refuse"; readonly policy: string; readonly reason: string };

export interface Landing {
  readonly changes: readonly Change[];
  readonly merged: readonly MergedPath[];
  readonly mergedBlobs: readonly NewBlob[];
  /** The open conflict that this commit resolves. */
  readonly resolves: Conflict | null;
}

export function planCommit(state: VcsState, request: CommitRequest, merges: Merges): Plan {
  if (request.resolves !== undefined) return planResolution(state, request, request.resolves, merges);
  const conflict = conflictTouched(state, request.author.task, request.changes);
  return conflict === null ? planOrdinary(state, request, merges) : planJoin(state, request, conflict, merges);
}

function planOrdinary(state: VcsState, request: CommitRequest, merges: Merges): Plan {
  const { base, changes } = request;
  const proposals = changes.map((change) => ({ change, base: entryAt(state, change.path, base) }));
  const together = bringTogether(state, proposals, merges);
  if (together.needs.length > 0) return { kind: "merge", needs: together.needs };
  const paths = conflictPaths(state, { together, base, before: [], held: new Map() });
  if (paths.length > 0) return { kind: "conflict", paths };
  if (together.changes.length === 0) return { kind: "unchanged" };
  const { changes: landed, merged, mergedBlobs } = together;
  return { kind: "land", landing: { changes: landed, merged, mergedBlobs, resolves: null } };
}

/**
 * The object's sides become the newest, and paths of this commit that meet the head too are added to it. So are paths
 * that the head changed between the bases of two held commits: whether the later content was made from the older base or
 * the newer one cannot be known, and merging against the wrong one would drop somebody's lines.
 */
function planJoin(state: VcsState, request: CommitRequest, conflict: Conflict, merges: Merges): Plan {
  const { base, changes } = request;
  const held = heldProposals(state, conflict);
  const inConflict = new Set(conflict.paths.map(({ path }) => path));
  const others: Proposal[] = [];
  const unclear: Proposal[] = [];
  for (const change of changes) {
    if (inConflict.has(change.path)) continue;
    const own = entryAt(state, change.path, base);
    const first = held.get(change.path);
    if (first === undefined || sameEntry(first.base, own)) others.push({ change, base: own });
    else unclear.push({ change, base: first.base });
  }
  const together = bringTogether(state, others, merges);
  if (together.needs.length > 0) return { kind: "merge", needs: together.needs };
  const newest = new Map(changes.map((change) => [change.path, entryOf(change)]));
  const before = conflict.paths.map((side) => {
    const theirs = newest.get(side.path);
    return theirs === undefined ? side : { ...side, theirs };
  });
  const contested = [...unclear, ...together.contested];
  const paths = conflictPaths(state, { together: { ...together, contested }, base, before, held });
  return { kind: "join", conflict: conflict.id, paths };
}
