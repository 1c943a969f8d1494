// Refuses a conflict's resolution in which one side's change is gone. A necessary check, not a sufficient one: what passes
// may still be wrong, and the checks of both tasks are run on it afterwards.

import { type Change, diffItems } from "./diff.ts";
import { numberTokens } from "./lines.ts";
import type { ConflictRegion } from "./merge.ts";
import { countTokens, tokenKind, tokensOf } from "./tokens.ts";

export interface DroppedSide {
  readonly side: "ours" | "theirs" | "both";
  /** For the arbiter to act on: what is missing. */
  readonly reason: string;
}

type Hunk = Pick<ConflictRegion, "base" | "ours" | "theirs">;

const namedTokensMax = 10;
const tokenCharsMax = 60;
/** Steps of the token diffs; beyond them only added tokens are compared. */
const tokenDiffStepsMax = 5_000_000;
const MARKER = /^(?:<{7}|\|{7}|={7}|>{7})(?: .*)?$/;

/**
 * Null when the answer may keep both changes. It is refused when
 * - it holds a conflict marker that no side had, or equals the base;
 * - it lacks tokens that a side added: every word and operator that a side has more often than the base must be in the
 *   answer as often as on that side, less what the other side took away of it. (Two sides that add the same token may
 *   mean the same addition, so the larger count is enough, not the sum.) Separators such as commas and brackets count
 *   only where a side added nothing else, because a line that combines two changes may need fewer of them;
 * - a side that added nothing is undone: every token it removed is back, or the answer is the other side byte for byte.
 *   What the other side wrote into or next to the removed text is left out of this: there deletion and edit exclude
 *   each other, and keeping the edit is allowed since a deletion can be repeated and lost text cannot.
 *   Both sides deleting is fine.
 */
export function droppedSide(hunk: Hunk, answer: Uint8Array): DroppedSide | null {
  const marker = newMarker(hunk, answer);
  if (marker !== null) return { side: "both", reason: `the answer contains the conflict marker "${marker}"` };
  if (same(answer, hunk.base)) return { side: "both", reason: "the answer is the base: both changes are gone" };
  const ours = missingOf({ base: hunk.base, side: hunk.ours, other: hunk.theirs, answer });
  const theirs = missingOf({ base: hunk.base, side: hunk.theirs, other: hunk.ours, answer });
  if (ours !== null && theirs !== null) return { side: "both", reason: `ours: ${ours}; theirs: ${theirs}` };
  if (ours !== null) return { side: "ours", reason: `ours: ${ours}` };
  return theirs === null ? null : { side: "theirs", reason: `theirs: ${theirs}` };
}

interface Comparison {
  readonly base: Uint8Array;
  readonly side: Uint8Array;
  readonly other: Uint8Array;
  readonly answer: Uint8Array;
}

/** What of the side's change is missing, in words; null if nothing is known to be. */
function missingOf(comparison: Comparison): string | null {
  if (same(comparison.side, comparison.base) || same(comparison.side, comparison.answer)) return null;
  const [base, side, other, answer] = [comparison.base, comparison.side, comparison.other, comparison.answer].map(
    (bytes) => countTokens(tokensOf(bytes)),
  ) as [Counts, Counts, Counts, Counts];
  const added = [...side.keys()].filter((token) => count(side, token) > count(base, token));
  if (added.length === 0) return undoneRemoval(comparison, { base, side, other, answer });
  const telling = added.filter((token) => tokenKind(token) !== "separator");
  const missing = (telling.length > 0 ? telling : added).filter((token) => {
    const takenByOther = Math.max(0, count(base, token) - count(other, token));
    return count(answer, token) < count(side, token) - takenByOther;
  });
  return missing.length === 0 ? null : `what it added is missing: ${nameTokens(missing)}`;
}

type Counts = ReadonlyMap<string, number>;

interface AllCounts {
  readonly base: Counts;
  readonly side: Counts;
  readonly other: Counts;
  readonly answer: Counts;
}

/** For a side that only removed, moved or re-spaced. */
function undoneRemoval(comparison: Comparison, counts: AllCounts): string | null {
  const baseTokens = tokensOf(comparison.base);
  const apart = changesApart(baseTokens, tokensOf(comparison.side), tokensOf(comparison.other));
  if (apart === null || apart.length === 0) return null;
  if (same(comparison.answer, comparison.other)) return "its change is gone: the answer is the other side alone";
  const removed = new Set(
    apart
      .flatMap(({ aFrom, aTo }) => baseTokens.slice(aFrom, aTo))
      .filter((token) => count(counts.side, token) < count(counts.base, token))
      // What the other side took away as well is not a question of this side.
      .filter((token) => count(counts.other, token) > count(counts.side, token)),
  );
  const back = [...removed].filter((token) => count(counts.answer, token) >= count(counts.other, token));
  return back.length === 0 || back.length < removed.size ? null : `what it removed is back: ${nameTokens(back)}`;
}

/** The side's changes with nothing of the other side's writing in or next to them; null if the texts differ too much to tell. */
function changesApart(
  base: readonly string[],
  side: readonly string[],
  other: readonly string[],
): readonly Change[] | null {
  const [baseItems, sideItems, otherItems] = numberTokens([base, side, other]) as [Int32Array, Int32Array, Int32Array];
  const budget = { steps: tokenDiffStepsMax };
  const sideChanges = diffItems(baseItems, sideItems, budget);
  const otherChanges = sideChanges && diffItems(baseItems, otherItems, budget);
  if (sideChanges === null || otherChanges === null) return null;
  const written = new Uint8Array(base.length + 1);
  const alsoRemoved = new Uint8Array(base.length);
  for (const { aFrom, aTo, bFrom, bTo } of otherChanges) {
    alsoRemoved.fill(1, aFrom, aTo);
    if (bTo > bFrom) written.fill(1, aFrom, aTo + 1);
  }
  return sideChanges.filter(({ aFrom, aTo, bFrom, bTo }) => {
    if (written.subarray(aFrom, aTo + 1).includes(1)) return false;
    return bTo > bFrom || alsoRemoved.subarray(aFrom, aTo).includes(0);
  });
}

function newMarker(hunk: Hunk, answer: Uint8Array): string | null {
  const known = new Set([hunk.base, hunk.ours, hunk.theirs].flatMap(textLines));
  return textLines(answer).find((line) => MARKER.test(line) && !known.has(line)) ?? null;
}

function textLines(bytes: Uint8Array): string[] {
  return Buffer.from(bytes).toString("latin1").split(/\r?\n/);
}

function nameTokens(tokens: readonly string[]): string {
  const named = tokens.slice(0, namedTokensMax).map((token) => `"${token.slice(0, tokenCharsMax).toWellFormed()}"`);
  const more = tokens.length - named.length;
  return named.join(", ") + (more > 0 ? ` and ${more} more` : "");
}

function count(counts: Counts, token: string): number {
  return counts.get(token) ?? 0;
}

function same(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}
