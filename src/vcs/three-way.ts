// The three-way rule for one path: what stands after the head's change and the proposed one are brought together.
// Whole entries decide first, then mode and content apart; only texts that both changed need their lines merged.

import type { BlobId } from "../base/ids.ts";
import { sameEntry } from "./snapshot.ts";
import type { Entry, Mode } from "./types.ts";

/** Three contents whose lines must be merged to know. */
export interface MergeNeed {
  readonly base: BlobId;
  readonly head: BlobId;
  readonly proposed: BlobId;
}

export type PathDecision =
  /** The head already holds it, or the proposal is no change of its base. */
  | { readonly kind: "already" }
  /** This is to stand on the head; null deletes. */
  | { readonly kind: "take"; readonly entry: Entry | null }
  | { readonly kind: "merge"; readonly need: MergeNeed; readonly mode: Mode }
  | { readonly kind: "conflict" };

/** Null is a side without the file. Modes merge like git's: the side that changed the mode gives it. */
export function decidePath(base: Entry | null, head: Entry | null, proposed: Entry | null): PathDecision {
  if (sameEntry(proposed, head) || sameEntry(proposed, base)) return { kind: "already" };
  if (sameEntry(head, base)) return { kind: "take", entry: proposed };
  if (base === null || head === null || proposed === null) return { kind: "conflict" };
  if (![base, head, proposed].every(isRegular)) return { kind: "conflict" };
  // With a common base and two regular modes, at most one value differs from the base's.
  const mode = head.mode === base.mode ? proposed.mode : head.mode;
  if (proposed.blob === head.blob || head.blob === base.blob) {
    return taking(head, { blob: proposed.blob, mode });
  }
  if (proposed.blob === base.blob) return taking(head, { blob: head.blob, mode });
  return { kind: "merge", need: { base: base.blob, head: head.blob, proposed: proposed.blob }, mode };
}

/** A regular file, executable or not: what has lines. */
export function isRegular(entry: Entry): boolean {
  return entry.mode === "100644" || entry.mode === "100755";
}

function taking(head: Entry, entry: Entry): PathDecision {
  return sameEntry(head, entry) ? { kind: "already" } : { kind: "take", entry };
}
