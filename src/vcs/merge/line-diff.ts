// What an edit changed, for a reader: the changed lines with a few around them, as a unified diff shows them.

import { type Change, diffItems } from "./diff.ts";
import { isBinary, type Lines, lineBytes, numberLines, splitLines } from "./lines.ts";

const contextLines = 3;
const arbiterLinesMax = 100_000;
const linesMax = 1_000_000;
const stepsMax = 5_000_000;

export interface HunkLine {
  readonly mark: " " | "-" | "+";
  /** Decoded, without its LF. */
  readonly text: string;
  /** The bytes without the LF, in base64, where `text` does not hold them: they are no UTF-8. */
  readonly raw?: string;
  /** It is the last one and has no line end. */
  readonly isOpen: boolean;
}

export interface LineHunk {
  /** `@@ -1,7 +1,8 @@`. */
  readonly heading: string;
  readonly lines: readonly HunkLine[];
}

/** Null where one of the two is no text, or they are too large to be compared. Lines are decoded as the arbiter sees them. */
export function lineDiff(base: Uint8Array, edited: Uint8Array): string | null {
  if (isBinary(base) || isBinary(edited)) return null;
  const hunks = lineHunks(base, edited, arbiterLinesMax);
  if (hunks === null) return null;
  return hunks
    .map(
      ({ heading, lines }) =>
        `${heading}\n${lines.map(({ mark, text }) => `${mark}${text.replace(/\r$/, "")}\n`).join("")}`,
    )
    .join("");
}

/** Of two texts, with three lines around each change; null where they are too large to be compared. */
export function lineHunks(
  base: Uint8Array,
  edited: Uint8Array,
  countMax: number = linesMax,
): readonly LineHunk[] | null {
  const [a, b] = [splitLines(base, countMax), splitLines(edited, countMax)];
  if (a === null || b === null) return null;
  const [aItems, bItems] = numberLines([a, b]) as [Int32Array, Int32Array];
  const changes = diffItems(aItems, bItems, { steps: stepsMax });
  return changes === null ? null : grouped(changes).map((group) => hunk(a, b, group));
}

/** Changes whose contexts touch are shown together. */
function grouped(changes: readonly Change[]): readonly (readonly Change[])[] {
  const groups: Change[][] = [];
  for (const change of changes) {
    const group = groups.at(-1);
    const before = group?.at(-1);
    if (group !== undefined && before !== undefined && change.aFrom - before.aTo <= 2 * contextLines)
      group.push(change);
    else groups.push([change]);
  }
  return groups;
}

function hunk(a: Lines, b: Lines, group: readonly Change[]): LineHunk {
  const [first, last] = [group[0], group.at(-1)];
  if (first === undefined || last === undefined) return { heading: "", lines: [] };
  const from = Math.max(0, first.aFrom - contextLines);
  const to = Math.min(a.ends.length, last.aTo + contextLines);
  const lines: HunkLine[] = [];
  const show = (mark: HunkLine["mark"], text: Lines, start: number, end: number): void => {
    for (let line = start; line < end; line += 1) {
      const bytes = lineBytes(text, line, line + 1);
      const isOpen = bytes.at(-1) !== 0x0a;
      const own = Buffer.from(isOpen ? bytes : bytes.subarray(0, -1));
      const decoded = own.toString("utf8");
      const isText = Buffer.from(decoded, "utf8").equals(own);
      lines.push({ mark, text: decoded, isOpen, ...(isText ? {} : { raw: own.toString("base64") }) });
    }
  };
  let at = from;
  for (const { aFrom, aTo, bFrom, bTo } of group) {
    show(" ", a, at, aFrom);
    show("-", a, aFrom, aTo);
    show("+", b, bFrom, bTo);
    at = aTo;
  }
  show(" ", a, at, to);
  const start = first.bFrom - (first.aFrom - from);
  const end = last.bTo + (to - last.aTo);
  return { heading: `@@ -${range(from, to)} +${range(start, end)} @@`, lines };
}

/** As in git's patches: one line has no count, and none begin before the line they follow. */
function range(from: number, to: number): string {
  if (to === from) return `${from},0`;
  return to - from === 1 ? String(from + 1) : `${from + 1},${to - from}`;
}
