// Three-way text merge, byte-exact: what `git merge-file` merges is merged to the same bytes, the rest is kept whole as
// numbered conflict hunks. Nothing is ever dropped: a region holds a side's bytes or all three.

import { unreachable } from "../../base/assert.ts";
import { type Chunk, combineChanges, type Range } from "./chunks.ts";
import { diffItems } from "./diff.ts";
import { isBinary, type Lines, lineBytes, numberLines, splitLines } from "./lines.ts";

export interface CleanRegion {
  readonly kind: "clean";
  readonly bytes: Uint8Array;
}

/** A stretch that both sides changed, differently. Sides may be empty. */
export interface ConflictRegion {
  readonly kind: "conflict";
  /** Counts the file's conflicts from 1. */
  readonly hunk: number;
  readonly base: Uint8Array;
  readonly ours: Uint8Array;
  readonly theirs: Uint8Array;
}

export type Region = CleanRegion | ConflictRegion;

export type MergeResult =
  | { readonly kind: "clean"; readonly bytes: Uint8Array }
  /** In file order, with at least one conflict region; no two clean regions are neighbours and none is empty. */
  | { readonly kind: "conflict"; readonly regions: readonly Region[] }
  /** One side has a NUL byte early, as git decides it. */
  | { readonly kind: "binary" }
  /** A side is beyond `mergeBytesMax` or `mergeLinesMax`, or the sides differ too much for `mergeStepsMax`. */
  | { readonly kind: "too-large" };

/** Of each side. */
export const mergeBytesMax = 16 * 1024 * 1024;
/** Of each side. */
export const mergeLinesMax = 500_000;
/** Inner steps of both diffs together: about a second of one core. */
export const mergeStepsMax = 50_000_000;

/**
 * Merges the changes from `base` to `ours` and from `base` to `theirs`. Where only one side changed the file, or both
 * made it the same, that side is the answer whatever the content is. Touching changes conflict, equal changes on both
 * sides count once, and lines with which both sides of a conflict begin or end alike are taken out of it
 * (git's "zealous" level; its `--zdiff3` style shows the same hunks).
 */
export function mergeText(base: Uint8Array, ours: Uint8Array, theirs: Uint8Array): MergeResult {
  if (sameBytes(base, theirs) || sameBytes(ours, theirs)) return { kind: "clean", bytes: ours };
  if (sameBytes(base, ours)) return { kind: "clean", bytes: theirs };
  const sides = [base, ours, theirs];
  if (sides.some(isBinary)) return { kind: "binary" };
  if (sides.some((bytes) => bytes.length > mergeBytesMax)) return { kind: "too-large" };
  const [baseLines, ourLines, theirLines] = sides.map((bytes) => splitLines(bytes, mergeLinesMax));
  if (!baseLines || !ourLines || !theirLines) return { kind: "too-large" };
  const texts: Texts = { base: baseLines, ours: ourLines, theirs: theirLines };
  const chunks = findChunks(texts);
  if (chunks === null) return { kind: "too-large" };
  return assemble(texts, chunks);
}

interface Texts {
  readonly base: Lines;
  readonly ours: Lines;
  readonly theirs: Lines;
}

function findChunks({ base, ours, theirs }: Texts): Chunk[] | null {
  const [baseItems, ourItems, theirItems] = numberLines([base, ours, theirs]) as [Int32Array, Int32Array, Int32Array];
  const budget = { steps: mergeStepsMax };
  const ourChanges = diffItems(baseItems, ourItems, budget);
  const theirChanges = ourChanges && diffItems(baseItems, theirItems, budget);
  return theirChanges && combineChanges(ourChanges, theirChanges);
}

function assemble(texts: Texts, chunks: readonly Chunk[]): MergeResult {
  const regions: Region[] = [];
  let clean: Uint8Array[] = [];
  let hunks = 0;
  let copied = 0;
  for (const chunk of chunks) {
    clean.push(lineBytes(texts.base, copied, chunk.base.from));
    copied = chunk.base.to;
    switch (chunk.changedBy) {
      case "ours":
        clean.push(rangeBytes(texts.ours, chunk.ours));
        break;
      case "theirs":
        clean.push(rangeBytes(texts.theirs, chunk.theirs));
        break;
      case "both": {
        const { head, conflict, tail } = trimCommon(texts, chunk);
        clean.push(head);
        if (conflict !== null) {
          pushClean(regions, clean);
          regions.push({ kind: "conflict", hunk: ++hunks, ...conflict });
          clean = [];
        }
        clean.push(tail);
        break;
      }
      default:
        return unreachable(chunk.changedBy);
    }
  }
  clean.push(lineBytes(texts.base, copied, texts.base.ends.length));
  if (hunks === 0) return { kind: "clean", bytes: Buffer.concat(clean) };
  pushClean(regions, clean);
  return { kind: "conflict", regions };
}

function pushClean(regions: Region[], parts: readonly Uint8Array[]): void {
  const bytes = Buffer.concat(parts);
  if (bytes.length > 0) regions.push({ kind: "clean", bytes });
}

interface Trimmed {
  readonly head: Uint8Array;
  /** Null where both sides are the same. */
  readonly conflict: { readonly base: Uint8Array; readonly ours: Uint8Array; readonly theirs: Uint8Array } | null;
  readonly tail: Uint8Array;
}

/** Takes the lines off with which both sides begin or end alike. The base keeps all its lines: some have no other place. */
function trimCommon({ base, ours, theirs }: Texts, chunk: Chunk): Trimmed {
  const { from: oFrom, to: oTo } = chunk.ours;
  const { from: tFrom, to: tTo } = chunk.theirs;
  const alike = (o: number, t: number) => sameBytes(lineBytes(ours, o, o + 1), lineBytes(theirs, t, t + 1));
  const shorter = Math.min(oTo - oFrom, tTo - tFrom);
  let head = 0;
  while (head < shorter && alike(oFrom + head, tFrom + head)) head++;
  let tail = 0;
  while (tail < shorter - head && alike(oTo - 1 - tail, tTo - 1 - tail)) tail++;
  const same = head === oTo - oFrom && head === tTo - tFrom;
  return {
    head: lineBytes(ours, oFrom, oFrom + head),
    conflict: same
      ? null
      : {
          base: rangeBytes(base, chunk.base),
          ours: lineBytes(ours, oFrom + head, oTo - tail),
          theirs: lineBytes(theirs, tFrom + head, tTo - tail),
        },
    tail: lineBytes(ours, oTo - tail, oTo),
  };
}

function rangeBytes(lines: Lines, range: Range): Uint8Array {
  return lineBytes(lines, range.from, range.to);
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && Buffer.compare(a, b) === 0;
}
