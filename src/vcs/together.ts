// Brings proposed changes together with the head, path by path and through renames. Pure: reads the state, changes nothing,
// asks for what it lacks.

import { unreachable } from "../base/assert.ts";
import type { Position, RepoPath } from "../base/ids.ts";
import type { NewBlob } from "../log/log.ts";
import type { Merges, Need } from "./merges.ts";
import { followRenames } from "./renames/follow.ts";
import { entryAt, headAuthor, headEntry, sameEntry } from "./snapshot.ts";
import type { VcsState } from "./state.ts";
import { decidePath } from "./three-way.ts";
import { obstacles } from "./tree-shape.ts";
import type { Change, ConflictPath, Entry, MergedPath, Moved } from "./types.ts";

/** A change and the entry that its path had where it was made. */
export interface Proposal {
  readonly change: Change;
  readonly base: Entry | null;
  /** The snapshot it was made from. */
  readonly since: Position;
  /** Where the head has the file that this is a change of, if it is moved here with it. */
  readonly headAt?: RepoPath;
}

export interface Together {
  /** What would land, merged contents included. */
  readonly changes: readonly Change[];
  /** The proposal of each of `changes`, in the same order. */
  readonly taken: readonly Proposal[];
  readonly merged: readonly MergedPath[];
  readonly mergedBlobs: readonly NewBlob[];
  /** Proposals that cannot be brought together with the head. */
  readonly contested: readonly Proposal[];
  /** Changes that land at another path than they were made at. */
  readonly moved: readonly Moved[];
  /** To be computed before the rest means anything. */
  readonly needs: readonly Need[];
}

/**
 * What is proposed with the head as it is. `reserved`: paths of which something else decides, as those in conflict do. Where a
 * change moved to another path would meet a file or a directory there, none is moved.
 */
export function bringTogether(
  state: VcsState,
  proposals: readonly Proposal[],
  merges: Merges,
  reserved?: ReadonlySet<RepoPath>,
): Together {
  const followed = followRenames(state, proposals, merges, reserved);
  if (followed.needs.length > 0) return { ...nothing, needs: followed.needs };
  const together = pathByPath(state, followed.proposals, merges);
  const { contested, moved } = followed;
  if (moved.length > 0 && obstacles(state, together.changes).length > 0) return pathByPath(state, proposals, merges);
  return { ...together, contested: [...contested, ...together.contested], moved };
}

const nothing: Together = {
  changes: [],
  taken: [],
  merged: [],
  mergedBlobs: [],
  contested: [],
  moved: [],
  needs: [],
};

function pathByPath(state: VcsState, proposals: readonly Proposal[], merges: Merges): Together {
  const changes: Change[] = [];
  const taken: Proposal[] = [];
  const merged: MergedPath[] = [];
  const mergedBlobs: NewBlob[] = [];
  const contested: Proposal[] = [];
  const needs: Need[] = [];
  const land = (proposal: Proposal, entry: Entry | null) => {
    const { path } = proposal.change;
    const [head, proposed] = [headOf(state, proposal), entryOf(proposal.change)];
    changes.push(entry === null ? { kind: "delete", path } : { kind: "put", path, ...entry });
    taken.push(proposal);
    if (head !== null && proposed !== null && !sameEntry(head, proposal.base)) merged.push({ path, proposed, head });
  };
  for (const proposal of proposals) {
    const { change, base, headAt } = proposal;
    const head = headOf(state, proposal);
    const decision = decidePath(base, head, entryOf(change));
    switch (decision.kind) {
      case "already":
        // Of a file that is moved here nothing stands here yet.
        if (headAt !== undefined) land(proposal, head);
        break;
      case "conflict":
        contested.push(proposal);
        break;
      case "take":
        land(proposal, decision.entry);
        break;
      case "merge": {
        const answer = merges.find(decision.need);
        if (answer === undefined) needs.push(decision.need);
        else if (answer.kind === "conflict") contested.push(proposal);
        else {
          const entry: Entry = { blob: answer.blob.id, mode: decision.mode };
          if (sameEntry(entry, head) && headAt === undefined) break;
          land(proposal, entry);
          mergedBlobs.push(answer.blob);
        }
        break;
      }
      default:
        unreachable(decision);
    }
  }
  return { changes, taken, merged, mergedBlobs, contested, moved: [], needs };
}

function headOf(state: VcsState, { change, headAt }: Proposal): Entry | null {
  return headEntry(state, headAt ?? change.path);
}

/** The change as it was made in the snapshot. */
export function proposalFrom(state: VcsState, change: Change, since: Position): Proposal {
  return { change, base: entryAt(state, change.path, since), since };
}

/** The three sides of a path, the head's taken now. */
export function sidesOf(state: VcsState, path: RepoPath, base: Entry | null, theirs: Entry | null): ConflictPath {
  return { path, base, ours: headEntry(state, path), theirs, oursAuthor: headAuthor(state, path) };
}

/** What a change leaves at its path. */
export function entryOf(change: Change): Entry | null {
  return change.kind === "put" ? { blob: change.blob, mode: change.mode } : null;
}
