// Refuses a conflict's resolution in which one side's change is gone. A necessary check, not a sufficient one: what passes
// may still be wrong, and the checks of both tasks are run on it afterwards.

import { tellingLines, withoutComments } from "./code-text.ts";
import { type Change, diffItems } from "./diff.ts";
import { numberTokens } from "./lines.ts";
import type { ConflictRegion } from "./merge.ts";
import { lostOrder } from "./moved-tokens.ts";
import { countTokens, decodeAlike, tokenKind, tokensOf } from "./tokens.ts";

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
 *   only where a side added nothing else, because a line that combines two changes may need fewer of them. What a side
 *   added as code counts in code, not in a comment;
 * - words that a side put in another order are back in the base's;
 * - a side that added nothing is undone: every token it removed is back, or the answer is the other side but for comments,
 *   white space and punctuation at the ends of lines; or it only laid lines out anew, and the other side's stand there as
 *   they were.
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
  const texts = textsOf(comparison);
  const counts = countsOf(texts);
  const added = addedTokens(counts);
  const telling = added.filter((token) => tokenKind(token) !== "separator");
  const missing = missingTokens(telling.length > 0 ? telling : added, counts);
  if (missing.length > 0) return `what it added is missing: ${nameTokens(missing)}`;
  const code = countsOf({
    base: withoutComments(texts.base),
    side: withoutComments(texts.side),
    other: withoutComments(texts.other),
    answer: withoutComments(texts.answer),
  });
  // Where the other side made comments of code, an edit of that code stands rightly in a comment.
  if (!commentedOut(counts, code)) {
    const inCode = addedTokens(code).filter((token) => tokenKind(token) !== "separator");
    const hidden = missingTokens(inCode, code);
    if (hidden.length > 0) return `what it added stands only in a comment: ${nameTokens(hidden)}`;
    const order = lostOrder({
      base: tokensOf(withoutComments(texts.base)),
      side: tokensOf(withoutComments(texts.side)),
      other: tokensOf(withoutComments(texts.other)),
      answer: tokensOf(withoutComments(texts.answer)),
    });
    if (order !== null) return `its order is gone: ${nameTokens([order[0]])} before ${nameTokens([order[1]])}`;
  }
  return added.length === 0 ? (undoneLayout(texts, counts) ?? undoneRemoval(texts, counts)) : null;
}

interface Texts {
  readonly base: string;
  readonly side: string;
  readonly other: string;
  readonly answer: string;
}

function textsOf(comparison: Comparison): Texts {
  const { base, side, other, answer } = comparison;
  const [b = "", s = "", o = "", a = ""] = decodeAlike([base, side, other, answer]);
  return { base: b, side: s, other: o, answer: a };
}

function countsOf({ base, side, other, answer }: Texts): AllCounts {
  const counted = (text: string): Counts => countTokens(tokensOf(text));
  return { base: counted(base), side: counted(side), other: counted(other), answer: counted(answer) };
}

function addedTokens({ base, side }: AllCounts): readonly string[] {
  return [...side.keys()].filter((token) => count(side, token) > count(base, token));
}

/** Those that the answer has less often than the side, what the other side took away left out of account. */
function missingTokens(tokens: readonly string[], { base, side, other, answer }: AllCounts): readonly string[] {
  return tokens.filter((token) => {
    const takenByOther = Math.max(0, count(base, token) - count(other, token));
    return count(answer, token) < count(side, token) - takenByOther;
  });
}

/** True if the other side left a token in the text and took it out of the code. */
function commentedOut(all: AllCounts, code: AllCounts): boolean {
  return [...code.base.keys()].some(
    (token) => count(code.other, token) < count(code.base, token) && count(all.other, token) >= count(all.base, token),
  );
}

type Counts = ReadonlyMap<string, number>;

interface AllCounts {
  readonly base: Counts;
  readonly side: Counts;
  readonly other: Counts;
  readonly answer: Counts;
}

/** For a side that only laid out anew what the other side wrote in: its lines may not stand there in the old layout. */
function undoneLayout({ base, side, other, answer }: Texts, counts: AllCounts): string | null {
  const bare = (text: string): string => text.replace(/\s+/g, "");
  if (bare(side) !== bare(base) || !wrote(counts)) return null;
  const [old, laidOut, theirs, answered] = [base, side, other, answer].map(tellingLines) as [
    Lines,
    Lines,
    Lines,
    Lines,
  ];
  const anew = laidOut.filter((line) => !old.includes(line));
  if (anew.length === 0 || answered.some((line) => anew.includes(line))) return null;
  return isWithin(theirs, answered) ? "its layout is gone: the other side's lines stand as they were" : null;
}

type Lines = readonly string[];

/** True if the other side wrote something, and did not only take away. */
function wrote({ base, other }: AllCounts): boolean {
  return [...other.keys()].some((token) => count(other, token) > count(base, token));
}

function isWithin(lines: Lines, all: Lines): boolean {
  let next = 0;
  for (const line of all) if (line === lines[next]) next += 1;
  return lines.length > 0 && next === lines.length;
}

/** For a side that only removed, moved or re-spaced. */
function undoneRemoval({ base, side, other, answer }: Texts, counts: AllCounts): string | null {
  const baseTokens = tokensOf(base);
  const apart = changesApart(baseTokens, tokensOf(side), tokensOf(other));
  if (apart === null || apart.length === 0) return null;
  const alone = tellingLines(answer).join("\n") === tellingLines(other).join("\n");
  if (answer === other || (alone && tellingLines(side).join("\n") !== tellingLines(base).join("\n")))
    return "its change is gone: the answer is the other side alone";
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
