// Myers' shortest edit in linear space ("An O(ND) Difference Algorithm and Its Variations", 1986, section 4b), with git's
// order of search, so that of several shortest edits git's is found; and with git's cost limit, so that it stays quick.

import { type Candidates, roughSquareRoot } from "./candidates.ts";
import type { Side } from "./side.ts";

/** Inner steps left; counts down and is shared by the diffs of one merge. */
export interface Budget {
  steps: number;
}

/** Edit cost of one box from which the farthest path so far is taken instead of the shortest. */
const costMin = 256;

interface Search {
  readonly a: Int32Array;
  readonly b: Int32Array;
  /** Farthest `i` by diagonal `i - j`, shifted by `shift`: forward from the box's start, backward from its end. */
  readonly forward: Int32Array;
  readonly backward: Int32Array;
  readonly shift: number;
  readonly costMax: number;
  readonly budget: Budget;
}

/** The part of the edit grid between two points of one path. */
interface Box {
  readonly iFrom: number;
  readonly iTo: number;
  readonly jFrom: number;
  readonly jTo: number;
}

/** Marks as changed every candidate without a partner. False when the budget ran out; the marks are then incomplete. */
export function markEdits(a: Side, b: Side, candidates: Candidates, budget: Budget): boolean {
  const itemsA = candidates.a.map((index) => a.items[index]!);
  const itemsB = candidates.b.map((index) => b.items[index]!);
  const diagonals = itemsA.length + itemsB.length + 3;
  const search: Search = {
    a: itemsA,
    b: itemsB,
    forward: new Int32Array(diagonals),
    backward: new Int32Array(diagonals),
    shift: itemsB.length + 1,
    costMax: Math.max(roughSquareRoot(diagonals), costMin),
    budget,
  };
  const boxes: Box[] = [{ iFrom: 0, iTo: itemsA.length, jFrom: 0, jTo: itemsB.length }];
  for (let box = boxes.pop(); box !== undefined; box = boxes.pop()) {
    const { iFrom, iTo, jFrom, jTo } = withoutCommonEnds(search, box);
    if (iFrom === iTo) {
      for (let j = jFrom; j < jTo; j++) b.changed[candidates.b[j]!] = 1;
    } else if (jFrom === jTo) {
      for (let i = iFrom; i < iTo; i++) a.changed[candidates.a[i]!] = 1;
    } else {
      const middle = findMiddle(search, { iFrom, iTo, jFrom, jTo });
      if (middle === null) return false;
      boxes.push({ iFrom, iTo: middle.i, jFrom, jTo: middle.j }, { iFrom: middle.i, iTo, jFrom: middle.j, jTo });
    }
  }
  return true;
}

function withoutCommonEnds({ a, b }: Search, box: Box): Box {
  let { iFrom, iTo, jFrom, jTo } = box;
  while (iFrom < iTo && jFrom < jTo && a[iFrom] === b[jFrom]) {
    iFrom++;
    jFrom++;
  }
  while (iFrom < iTo && jFrom < jTo && a[iTo - 1] === b[jTo - 1]) {
    iTo--;
    jTo--;
  }
  return { iFrom, iTo, jFrom, jTo };
}

interface Point {
  readonly i: number;
  readonly j: number;
}

/** Where a forward and a backward path of the box first meet; null when the budget ran out. */
function findMiddle(search: Search, box: Box): Point | null {
  const { forward, backward, shift, budget } = search;
  const ahead = diagonalRange(box, box.iFrom - box.jFrom);
  const behind = diagonalRange(box, box.iTo - box.jTo);
  const odd = ((ahead.middle - behind.middle) & 1) === 1;
  forward[ahead.middle + shift] = box.iFrom;
  backward[behind.middle + shift] = box.iTo;
  for (let cost = 1; ; cost++) {
    widen(ahead, forward, shift, -1);
    const met = advance(search, box, ahead, odd ? behind : null);
    if (met !== null) return met;
    widen(behind, backward, shift, 0x7fffffff);
    const metBehind = retreat(search, box, behind, odd ? null : ahead);
    if (metBehind !== null) return metBehind;
    if (budget.steps < 0) return null;
    if (cost >= search.costMax) return farthest(search, box, ahead, behind);
  }
}

/** The diagonals that one direction has reached: from `low` to `high` in steps of two, inside the box's own. */
interface DiagonalRange {
  readonly middle: number;
  readonly least: number;
  readonly most: number;
  low: number;
  high: number;
}

function diagonalRange(box: Box, middle: number): DiagonalRange {
  return { middle, least: box.iFrom - box.jTo, most: box.iTo - box.jFrom, low: middle, high: middle };
}

/** One step out on both sides, with a sentinel beyond; a range that has hit the box's border turns inward instead. */
function widen(range: DiagonalRange, reached: Int32Array, shift: number, sentinel: number): void {
  if (range.low > range.least) {
    range.low--;
    reached[range.low - 1 + shift] = sentinel;
  } else range.low++;
  if (range.high < range.most) {
    range.high++;
    reached[range.high + 1 + shift] = sentinel;
  } else range.high--;
}

function advance(search: Search, box: Box, range: DiagonalRange, meets: DiagonalRange | null): Point | null {
  const { a, b, forward, backward, shift, budget } = search;
  for (let diagonal = range.high; diagonal >= range.low; diagonal -= 2) {
    const at = diagonal + shift;
    const start = forward[at - 1]! >= forward[at + 1]! ? forward[at - 1]! + 1 : forward[at + 1]!;
    let i = start;
    let j = i - diagonal;
    while (i < box.iTo && j < box.jTo && a[i] === b[j]) {
      i++;
      j++;
    }
    budget.steps -= 1 + i - start;
    forward[at] = i;
    if (meets !== null && meets.low <= diagonal && diagonal <= meets.high && backward[at]! <= i) return { i, j };
  }
  return null;
}

function retreat(search: Search, box: Box, range: DiagonalRange, meets: DiagonalRange | null): Point | null {
  const { a, b, forward, backward, shift, budget } = search;
  for (let diagonal = range.high; diagonal >= range.low; diagonal -= 2) {
    const at = diagonal + shift;
    const start = backward[at - 1]! < backward[at + 1]! ? backward[at - 1]! : backward[at + 1]! - 1;
    let i = start;
    let j = i - diagonal;
    while (i > box.iFrom && j > box.jFrom && a[i - 1] === b[j - 1]) {
      i--;
      j--;
    }
    budget.steps -= 1 + start - i;
    backward[at] = i;
    if (meets !== null && meets.low <= diagonal && diagonal <= meets.high && i <= forward[at]!) return { i, j };
  }
  return null;
}

/** The point of either direction that is farthest from its start, counted in items of both sequences. */
function farthest({ forward, backward, shift }: Search, box: Box, ahead: DiagonalRange, behind: DiagonalRange): Point {
  let best: Point = { i: box.iFrom, j: box.jFrom };
  let bestSum = -1;
  for (let diagonal = ahead.high; diagonal >= ahead.low; diagonal -= 2) {
    const limited = Math.min(forward[diagonal + shift]!, box.iTo);
    const i = limited - diagonal > box.jTo ? box.jTo + diagonal : limited;
    if (2 * i - diagonal > bestSum) {
      bestSum = 2 * i - diagonal;
      best = { i, j: i - diagonal };
    }
  }
  let back: Point = { i: box.iTo, j: box.jTo };
  let backSum = Number.POSITIVE_INFINITY;
  for (let diagonal = behind.high; diagonal >= behind.low; diagonal -= 2) {
    const limited = Math.max(backward[diagonal + shift]!, box.iFrom);
    const i = limited - diagonal < box.jFrom ? box.jFrom + diagonal : limited;
    if (2 * i - diagonal < backSum) {
      backSum = 2 * i - diagonal;
      back = { i, j: i - diagonal };
    }
  }
  return box.iTo + box.jTo - backSum < bestSum - (box.iFrom + box.jFrom) ? best : back;
}
