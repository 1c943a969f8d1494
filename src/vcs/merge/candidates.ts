// Chooses the items worth searching for partners, as git does before its diff: common ends are matched outright, items
// that the other side lacks are changed outright, and very frequent items inside a run of such are taken for noise.

import type { Side } from "./side.ts";

/** Indices of the items that take part in the search, per side. All others are settled: in a common end, or marked as changed. */
export interface Candidates {
  readonly a: Int32Array;
  readonly b: Int32Array;
}

/** An item with at least this many partners is frequent, however long the text is. */
const partnersMax = 1024;
/** How far around a frequent item its neighbours are looked at. */
const neighbourItemsMax = 100;
/** A frequent item is noise when it and frequent neighbours are fewer than one in this many of the run around it. */
const noiseShare = 4;

type Frequency = 0 | 1 | 2;
const ABSENT: Frequency = 0;
const USUAL: Frequency = 1;
const FREQUENT: Frequency = 2;

export function chooseCandidates(a: Side, b: Side): Candidates {
  const shorter = Math.min(a.items.length, b.items.length);
  let head = 0;
  while (head < shorter && a.items[head] === b.items[head]) head++;
  let tail = 0;
  while (tail < shorter - head && a.items[a.items.length - 1 - tail] === b.items[b.items.length - 1 - tail]) tail++;
  return { a: choose(a, b, head, tail), b: choose(b, a, head, tail) };
}

function choose(side: Side, other: Side, head: number, tail: number): Int32Array {
  const partners = countItems(other.items);
  const frequentFrom = Math.min(roughSquareRoot(side.items.length), partnersMax);
  const end = side.items.length - tail;
  const frequencies = Uint8Array.from(side.items.subarray(head, end), (item) => {
    const count = partners.get(item) ?? 0;
    return count === 0 ? ABSENT : count < frequentFrom ? USUAL : FREQUENT;
  });
  const chosen: number[] = [];
  for (let at = 0; at < frequencies.length; at++) {
    const frequency = frequencies[at];
    if (frequency === USUAL || (frequency === FREQUENT && !isNoise(frequencies, at))) chosen.push(head + at);
    else side.changed[head + at] = 1;
  }
  return Int32Array.from(chosen);
}

function isNoise(frequencies: Uint8Array, at: number): boolean {
  const before = countRun(frequencies, at, -1);
  if (before.absent === 0) return false;
  const after = countRun(frequencies, at, 1);
  if (after.absent === 0) return false;
  // The item itself counts once with each of the two runs, as in git.
  const frequent = before.frequent + after.frequent + 2;
  const absent = before.absent + after.absent;
  return frequent * noiseShare < frequent + absent;
}

/** The unbroken run of absent and frequent items next to `at`, in one direction. */
function countRun(frequencies: Uint8Array, at: number, step: 1 | -1): { absent: number; frequent: number } {
  let absent = 0;
  let frequent = 0;
  for (let distance = 1; distance <= neighbourItemsMax; distance++) {
    const frequency = frequencies[at + step * distance];
    if (frequency === ABSENT) absent++;
    else if (frequency === FREQUENT) frequent++;
    else break;
  }
  return { absent, frequent };
}

function countItems(items: Int32Array): Map<number, number> {
  const counts = new Map<number, number>();
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1);
  return counts;
}

/** The power of two that git uses for a square root: two to the number of base-4 digits. */
export function roughSquareRoot(value: number): number {
  let root = 1;
  for (let rest = value; rest > 0; rest = Math.floor(rest / 4)) root *= 2;
  return root;
}
