// Conflicts for an arbiter: the view it reads. What it may do with a hunk stands in the files named below.

import { linesOf, shownLine } from "./answer-bytes.ts";
import type { ConflictRegion, Region } from "./merge.ts";

export { answerBytes, shownText } from "./answer-bytes.ts";
export { applyHunks } from "./apply-hunks.ts";
export { droppedSide } from "./dropped-side.ts";

/** Lines of clean text shown before and after a hunk. */
const contextLinesMax = 10;
/** The same in a conflict of many hunks. */
const contextLinesFew = 3;
const hunksFewMax = 30;
/** UTF-16 units shown of a line of clean text. */
const contextLineCharsMax = 400;

/**
 * The whole file in git's diff3 style with numbered hunks; of long clean stretches only the ends next to hunks are
 * shown, and of a hunk's side at most about `sideCharsMax` UTF-16 units, with a note on where the rest begins.
 * Undecodable bytes appear as U+FFFD and CRLF as a plain line end: `answerBytes` turns an answer back into bytes.
 */
export function renderConflict(regions: readonly Region[], sideCharsMax = Number.POSITIVE_INFINITY): string {
  const many = regions.filter(({ kind }) => kind === "conflict").length > hunksFewMax;
  const linesMax = many ? contextLinesFew : contextLinesMax;
  const parts = regions.map((region, index) => {
    if (region.kind === "conflict") return renderHunk(region, sideCharsMax);
    return renderContext(region.bytes, { after: index > 0, before: index < regions.length - 1, linesMax });
  });
  return parts.join("");
}

function renderHunk({ hunk, base, ours, theirs }: ConflictRegion, charsMax: number): string {
  return [
    `<<<<<<< hunk ${hunk}: ours\n`,
    renderSide(ours, charsMax),
    `||||||| hunk ${hunk}: base\n`,
    renderSide(base, charsMax),
    "=======\n",
    renderSide(theirs, charsMax),
    `>>>>>>> hunk ${hunk}: theirs\n`,
  ].join("");
}

function renderSide(bytes: Uint8Array, charsMax: number): string {
  const text = headOf(
    linesOf(bytes)
      .map((line) => `${shownLine(line)}\n`)
      .join(""),
    charsMax,
  );
  // As in git's patches.
  return bytes.length > 0 && bytes.at(-1) !== 0x0a ? `${text}\\ No newline at end of file\n` : text;
}

/** The first characters of a text with a note on how much follows; a text that is little longer is shown whole. */
export function headOf(text: string, charsMax: number): string {
  if (text.length <= charsMax + noteCharsMax) return text;
  const start = text.slice(0, charsMax);
  const end = start.lastIndexOf("\n") + 1;
  // A long line is cut where it must be, and never inside a character.
  const head = end > charsMax / 2 ? start.slice(0, end) : start.replace(/[\ud800-\udbff]$/, "");
  const left = text.length - head.length;
  return `${head}${head.endsWith("\n") ? "" : "\n"}… ${left} more characters, not shown here: read_conflict from offset ${head.length} …\n`;
}

/** About as long as the note is. */
const noteCharsMax = 100;

/** On which sides of a clean stretch a hunk stands, and how many lines are shown there. */
interface Around {
  readonly after: boolean;
  readonly before: boolean;
  readonly linesMax: number;
}

function renderContext(bytes: Uint8Array, hunks: Around): string {
  const lines = linesOf(bytes);
  const head = hunks.after ? hunks.linesMax : 0;
  const tail = hunks.before ? hunks.linesMax : 0;
  const hidden = lines.length - head - tail;
  // To hide one line would take a line.
  if (hidden <= 1) return lines.map(renderContextLine).join("");
  return [
    ...lines.slice(0, head).map(renderContextLine),
    `… ${hidden} lines …\n`,
    ...lines.slice(lines.length - tail).map(renderContextLine),
  ].join("");
}

function renderContextLine(line: Uint8Array): string {
  const text = shownLine(line);
  if (text.length <= contextLineCharsMax) return `${text}\n`;
  return `${text.slice(0, contextLineCharsMax).toWellFormed()}… ${text.length - contextLineCharsMax} more characters\n`;
}
