// Slides each group of changed items up and down over equal items, as git does after its diff: groups that can touch
// become one, and a group ends level with the other side's changes where it can, else as far down as it goes.

import { assert } from "../../base/assert.ts";
import type { Side } from "./side.ts";

/** A maximal run of changed items `[start, end)`; empty runs (between two unchanged items) are groups too. */
interface Group {
  start: number;
  end: number;
}

/**
 * Slides the groups of `side`, keeping step with `other`: the n-th unchanged item of one is the partner of the n-th
 * unchanged item of the other, so their groups, empty ones included, correspond one to one.
 */
export function slideChanges(side: Side, other: Side): void {
  const group = firstGroup(side);
  const twin = firstGroup(other);
  for (;;) {
    if (group.end > group.start) slideGroup(side, other, group, twin);
    if (!toNext(side, group)) break;
    follow(toNext(other, twin));
  }
  assert(!toNext(other, twin), "both sides of a diff have as many unchanged items");
}

function slideGroup(side: Side, other: Side, group: Group, twin: Group): void {
  let length: number;
  let highestEnd: number;
  /** The lowest end of the group that is level with a change of the other side. */
  let levelEnd: number | null;
  do {
    length = group.end - group.start;
    while (slideUp(side, group)) follow(toPrevious(other, twin));
    highestEnd = group.end;
    levelEnd = twin.end > twin.start ? group.end : null;
    while (slideDown(side, group)) {
      follow(toNext(other, twin));
      if (twin.end > twin.start) levelEnd = group.end;
    }
    // A slide that took in a neighbour made the group longer: it may now slide farther.
  } while (length !== group.end - group.start);
  if (levelEnd === null || group.end === highestEnd) return;
  while (twin.end === twin.start) {
    follow(slideUp(side, group));
    follow(toPrevious(other, twin));
  }
}

function firstGroup({ changed }: Side): Group {
  let end = 0;
  while (changed[end] === 1) end++;
  return { start: 0, end };
}

/** Moves to the group behind the next unchanged item; false at the end. */
function toNext({ changed }: Side, group: Group): boolean {
  if (group.end === changed.length) return false;
  group.start = group.end + 1;
  group.end = group.start;
  while (changed[group.end] === 1) group.end++;
  return true;
}

function toPrevious({ changed }: Side, group: Group): boolean {
  if (group.start === 0) return false;
  group.end = group.start - 1;
  group.start = group.end;
  while (changed[group.start - 1] === 1) group.start--;
  return true;
}

/** One item up, taking in a group it then touches; false where the items differ. */
function slideUp({ items, changed }: Side, group: Group): boolean {
  if (group.start === 0 || items[group.start - 1] !== items[group.end - 1]) return false;
  changed[--group.start] = 1;
  changed[--group.end] = 0;
  while (changed[group.start - 1] === 1) group.start--;
  return true;
}

function slideDown({ items, changed }: Side, group: Group): boolean {
  if (group.end === items.length || items[group.start] !== items[group.end]) return false;
  changed[group.start++] = 0;
  changed[group.end++] = 1;
  while (changed[group.end] === 1) group.end++;
  return true;
}

function follow(moved: boolean): void {
  assert(moved, "the groups of both sides of a diff move in step");
}
