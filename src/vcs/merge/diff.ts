// A line diff that makes git's choices: which of several equally short edits is found decides whether two edits touch,
// so a merge agrees with git only over git's diff. The algorithms are those that the comments of git's xdiff describe.
// (jsdiff and node-diff3 find other edits among repeated lines, and do not slide them.)

import { chooseCandidates } from "./candidates.ts";
import { slideChanges } from "./compact.ts";
import { type Budget, markEdits } from "./myers.ts";
import type { Side } from "./side.ts";

/** Replaces items `[aFrom, aTo)` of the first sequence by items `[bFrom, bTo)` of the second; one of the ranges may be empty. */
export interface Change {
  readonly aFrom: number;
  readonly aTo: number;
  readonly bFrom: number;
  readonly bTo: number;
}

/**
 * The changes from `a` to `b`, in order, with at least one common item between any two of them.
 * Null when the search used up `budget`, which counts inner steps and may be shared by several diffs.
 */
export function diffItems(a: Int32Array, b: Int32Array, budget: Budget): Change[] | null {
  const sideA: Side = { items: a, changed: new Uint8Array(a.length) };
  const sideB: Side = { items: b, changed: new Uint8Array(b.length) };
  const candidates = chooseCandidates(sideA, sideB);
  if (!markEdits(sideA, sideB, candidates, budget)) return null;
  slideChanges(sideA, sideB);
  slideChanges(sideB, sideA);
  return readChanges(sideA.changed, sideB.changed);
}

function readChanges(a: Uint8Array, b: Uint8Array): Change[] {
  const changes: Change[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    const aFrom = i;
    const bFrom = j;
    while (a[i] === 1) i++;
    while (b[j] === 1) j++;
    if (i > aFrom || j > bFrom) changes.push({ aFrom, aTo: i, bFrom, bTo: j });
    i++;
    j++;
  }
  return changes;
}
