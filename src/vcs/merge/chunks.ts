// Brings two diffs of one base together: which stretches of the base were changed by one side, and which by both.
// Changes of different sides belong to one chunk when their ranges in the base overlap or touch, as in git.

import type { Change } from "./diff.ts";

/** A stretch of the base with what each side has in its place: ranges `[from, to)` of items. */
export interface Chunk {
  readonly base: Range;
  readonly ours: Range;
  readonly theirs: Range;
  readonly changedBy: "ours" | "theirs" | "both";
}

export interface Range {
  readonly from: number;
  readonly to: number;
}

/** The changed chunks in order; between two of them all three texts are the same. */
export function combineChanges(ours: readonly Change[], theirs: readonly Change[]): Chunk[] {
  const chunks: Chunk[] = [];
  let o = 0;
  let t = 0;
  /** Items that the changes before this chunk added (or, negative, removed). */
  let oursShift = 0;
  let theirsShift = 0;
  while (o < ours.length || t < theirs.length) {
    const from = Math.min(ours[o]?.aFrom ?? Number.POSITIVE_INFINITY, theirs[t]?.aFrom ?? Number.POSITIVE_INFINITY);
    const oFirst = o;
    const tFirst = t;
    const oursFrom = from + oursShift;
    const theirsFrom = from + theirsShift;
    let to = from;
    for (;;) {
      const oNext = ours[o];
      const tNext = theirs[t];
      if (oNext !== undefined && oNext.aFrom <= to) {
        to = Math.max(to, oNext.aTo);
        oursShift = oNext.bTo - oNext.aTo;
        o++;
      } else if (tNext !== undefined && tNext.aFrom <= to) {
        to = Math.max(to, tNext.aTo);
        theirsShift = tNext.bTo - tNext.aTo;
        t++;
      } else break;
    }
    chunks.push({
      base: { from, to },
      ours: { from: oursFrom, to: to + oursShift },
      theirs: { from: theirsFrom, to: to + theirsShift },
      changedBy: t === tFirst ? "ours" : o === oFirst ? "theirs" : "both",
    });
  }
  return chunks;
}
