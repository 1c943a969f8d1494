// Brings proposed changes together with the head, path by path. Pure: reads the state, changes nothing, asks for the
// content merges it lacks.

import { unreachable } from "../base/assert.ts";
import type { RepoPath } from "../base/ids.ts";
import type { NewBlob } from "../log/log.ts";
import type { Merges } from "./merges.ts";
import { headAuthor, headEntry, sameEntry } from "./snapshot.ts";
import type { VcsState } from "./state.ts";
import { decidePath, type MergeNeed } from "./three-way.ts";
import type { Change, ConflictPath, Entry, MergedPath } from "./types.ts";

/** A change and the entry that its path had where it was made. */
export interface Proposal {
  readonly change: Change;
  readonly base: Entry | null;
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
  /** Merges to compute before the rest means anything. */
  readonly needs: readonly MergeNeed[];
}

export function bringTogether(state: VcsState, proposals: readonly Proposal[], merges: Merges): Together {
  const changes: Change[] = [];
  const taken: Proposal[] = [];
  const merged: MergedPath[] = [];
  const mergedBlobs: NewBlob[] = [];
  const contested: Proposal[] = [];
  const needs: MergeNeed[] = [];
  const land = (proposal: Proposal, entry: Entry | null) => {
    const { path } = proposal.change;
    const [head, proposed] = [headEntry(state, path), entryOf(proposal.change)];
    changes.push(entry === null ? { kind: "delete", path } : { kind: "put", path, ...entry });
    taken.push(proposal);
    if (head !== null && proposed !== null && !sameEntry(head, proposal.base)) merged.push({ path, proposed, head });
  };
  for (const proposal of proposals) {
    const { change, base } = proposal;
    const head = headEntry(state, change.path);
    const decision = decidePath(base, head, entryOf(change));
    switch (decision.kind) {
      case "already":
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
          if (sameEntry(entry, head)) break;
          land(proposal, entry);
          mergedBlobs.push(answer.blob);
        }
        break;
      }
      default:
        unreachable(decision);
    }
  }
  return { changes, taken, merged, mergedBlobs, contested, needs };
}

/** The three sides of a path, the head's taken now. */
export function sidesOf(state: VcsState, path: RepoPath, base: Entry | null, theirs: Entry | null): ConflictPath {
  return { path, base, ours: headEntry(state, path), theirs, oursAuthor: headAuthor(state, path) };
}

/** What a change leaves at its path. */
export function entryOf(change: Change): Entry | null {
  return change.kind === "put" ? { blob: change.blob, mode: change.mode } : null;
}
