// A resolution as a plan: the arbiter's contents for the paths in conflict, the held commits' other changes brought
// together with the head as it is now, all in one commit or not at all.

import type { ConflictId } from "../base/ids.ts";
import { conflictPaths, headMoved, heldProposals, sameSides } from "./conflicts.ts";
import type { Merges } from "./merges.ts";
import type { Plan } from "./plan-kinds.ts";
import { headEntry, sameEntry } from "./snapshot.ts";
import type { VcsState } from "./state.ts";
import { bringTogether, entryOf, type Proposal, type Together } from "./together.ts";
import { contradictions, obstacles } from "./tree-shape.ts";
import type { CommitRequest, Conflict } from "./types.ts";

export function planResolution(state: VcsState, request: CommitRequest, id: ConflictId, merges: Merges): Plan {
  const conflict = state.conflicts.get(id);
  if (conflict === undefined) return refuse("resolution", `There is no conflict ${id}.`);
  if (conflict.state === "resolved") {
    return refuse("resolution", `Conflict ${id} is already resolved, as of snapshot ${conflict.resolvedAt}.`);
  }
  const together = bringTogether(state, otherProposals(state, conflict), merges);
  if (together.needs.length > 0) return { kind: "merge", needs: together.needs };
  // A commit may have joined, or the head may have moved: then the arbiter has not seen what it would overwrite.
  if (request.base < conflict.head || headMoved(state, conflict.paths, request.base)) {
    return stale(state, conflict, together);
  }
  const mismatch = coverage(request, conflict);
  if (mismatch !== null) return refuse("resolution", mismatch);

  const answers = request.changes.filter((change) => !sameEntry(entryOf(change), headEntry(state, change.path)));
  const changes = [...together.changes, ...answers];
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
  if (changes.length === 0) return { kind: "close", conflict: id };
  const { merged, mergedBlobs } = together;
  return { kind: "land", landing: { changes, merged, mergedBlobs, resolves: conflict } };
}

/** What the held commits change on paths that are not in conflict. */
export function otherProposals(state: VcsState, conflict: Conflict): readonly Proposal[] {
  const inConflict = new Set(conflict.paths.map(({ path }) => path));
  return [...heldProposals(state, conflict).values()].filter(({ change }) => !inConflict.has(change.path));
}

function stale(state: VcsState, conflict: Conflict, together: Together): Extract<Plan, { kind: "stale" }> {
  const base = conflict.commits[0]?.base ?? conflict.head;
  const held = heldProposals(state, conflict);
  const paths = conflictPaths(state, { together, base, before: conflict.paths, held });
  return { kind: "stale", conflict: conflict.id, paths: sameSides(paths, conflict.paths) ? null : paths };
}

/** A sentence if the resolution does not answer exactly the paths in conflict. */
function coverage({ changes, resolves }: CommitRequest, conflict: Conflict): string | null {
  const wanted = new Set(conflict.paths.map(({ path }) => path));
  const given = new Set(changes.map(({ path }) => path));
  const missing = [...wanted].filter((path) => !given.has(path));
  const extra = [...given].filter((path) => !wanted.has(path));
  if (missing.length === 0 && extra.length === 0) return null;
  const parts = [
    ...(missing.length > 0 ? [`it leaves out ${missing.join(", ")}`] : []),
    ...(extra.length > 0 ? [`it changes ${extra.join(", ")}, which is not in conflict`] : []),
  ];
  return `A resolution of ${resolves} gives the final content of exactly the paths in conflict: ${parts.join("; ")}.`;
}

function refuse(policy: string, reason: string): Plan {
  return { kind: "refuse", policy, reason };
}
