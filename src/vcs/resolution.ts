// A resolution as a plan: the arbiter's contents for the paths in conflict, the held commits' other changes brought
// together with the head as it is now, all in one commit or not at all.

import type { ConflictId, RepoPath } from "../base/ids.ts";
import { conflictPaths, headMoved, heldPaths, heldProposals, sameSides } from "./conflicts.ts";
import type { Merges } from "./merges.ts";
import { addedWithDeletion } from "./moves.ts";
import type { Plan } from "./plan-kinds.ts";
import { headEntry, lastChangedAt, sameEntry } from "./snapshot.ts";
import type { VcsState } from "./state.ts";
import { bringTogether, entryOf, type Proposal, type Together } from "./together.ts";
import { contradictions, obstacles } from "./tree-shape.ts";
import type { CommitRequest, Conflict } from "./types.ts";

export function planResolution(state: VcsState, request: CommitRequest, id: ConflictId, merges: Merges): Plan {
  const conflict = state.conflicts.get(id);
  if (conflict === undefined) return refuse("resolution", `There is no conflict ${id}.`);
  if (conflict.state === "resolved") {
    return refuse("resolution", `Conflict ${id} is already resolved.`);
  }
  const together = bringTogether(state, otherProposals(state, conflict), merges, reservedBy(conflict));
  if (together.needs.length > 0) return { kind: "merge", needs: together.needs };
  // A commit may have joined, or the head may have moved: then the arbiter has not seen what it would overwrite.
  if (request.base < conflict.head || headMoved(state, conflict.paths, request.base)) {
    return stale(state, conflict, together);
  }
  const inConflict = reservedBy(conflict);
  const besides = new Set(request.changes.map(({ path }) => path).filter((path) => !inConflict.has(path)));
  const mismatch = coverage(state, request, conflict, besides);
  if (mismatch !== null) return refuse("resolution", mismatch);
  if ([...besides].some((path) => (lastChangedAt(state, path) ?? 0) > request.base)) {
    return stale(state, conflict, together);
  }

  const answers = request.changes.filter((change) => !sameEntry(entryOf(change), headEntry(state, change.path)));
  // What the arbiter wrote on a held commit's other path stands in the place of that commit's content.
  const kept = together.changes.filter(({ path }) => !besides.has(path));
  const changes = [...kept, ...answers];
  const puts = changes.filter(({ kind }) => kind === "put").map(({ path }) => path);
  const inTheWay = [...obstacles(state, changes), ...contradictions(puts)];
  if (together.contested.length > 0 || inTheWay.length > 0) {
    const renewed = stale(state, conflict, together);
    if (renewed.paths !== null) return renewed;
  }
  const [obstacle] = inTheWay;
  if (obstacle !== undefined) {
    return refuse("resolution", `${obstacle.path} cannot be a file beside ${obstacle.by}: delete one of the two.`);
  }
  // A side that was left out is named in the history even where the head already holds the rest.
  if (changes.length === 0 && (request.discarded ?? []).length === 0) return { kind: "close", conflict: id };
  const merged = together.merged.filter(({ path }) => !besides.has(path));
  const { mergedBlobs, moved } = together;
  const landing = { changes, merged, mergedBlobs, moved, resolves: conflict };
  return { kind: "land", landing };
}

/** The paths of which a resolution decides. */
export function reservedBy({ paths }: Conflict): ReadonlySet<RepoPath> {
  return new Set(paths.map(({ path }) => path));
}

/** What the held commits change on paths that are not in conflict. */
export function otherProposals(state: VcsState, conflict: Conflict): readonly Proposal[] {
  const inConflict = reservedBy(conflict);
  return [...heldProposals(state, conflict).values()].filter(({ change }) => !inConflict.has(change.path));
}

function stale(state: VcsState, conflict: Conflict, together: Together): Extract<Plan, { kind: "stale" }> {
  const base = conflict.commits[0]?.base ?? conflict.head;
  const held = heldProposals(state, conflict);
  const paths = conflictPaths(state, { together, base, before: conflict.paths, held });
  return { kind: "stale", conflict: conflict.id, paths: sameSides(paths, conflict.paths) ? null : paths };
}

/**
 * A sentence if the resolution does not answer the paths in conflict, or writes where it may not: beside them it puts
 * files only where the held commits do, or where the head's side of a rename did. Deleting there is not its to decide.
 */
function coverage(
  state: VcsState,
  { changes, resolves }: CommitRequest,
  conflict: Conflict,
  besides: ReadonlySet<RepoPath>,
): string | null {
  const given = new Set(changes.map(({ path }) => path));
  const missing = conflict.paths.map(({ path }) => path).filter((path) => !given.has(path));
  const allowed = new Set<RepoPath>(besides.size === 0 ? [] : heldPaths(conflict));
  if (besides.size > 0) for (const { path } of addedWithDeletion(state, conflict)) allowed.add(path);
  const extra = changes.filter(({ path, kind }) => besides.has(path) && (kind === "delete" || !allowed.has(path)));
  if (missing.length === 0 && extra.length === 0) return null;
  const named = extra.map(({ path }) => path).join(", ");
  const parts = [
    ...(missing.length > 0 ? [`it leaves out ${missing.join(", ")}`] : []),
    ...(extra.length > 0 ? [`it changes ${named}, which is not in conflict`] : []),
  ];
  return `A resolution of ${resolves} gives the final content of exactly the paths in conflict: ${parts.join("; ")}.`;
}

function refuse(policy: string, reason: string): Plan {
  return { kind: "refuse", policy, reason };
}
