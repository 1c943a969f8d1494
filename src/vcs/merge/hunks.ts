// Conflicts for an arbiter: the view it reads. What it may do with a hunk stands in the files named below.

import { linesOf, shownLine } from "./answer-bytes.ts";
import type { ConflictRegion, Region } from "./merge.ts";

export { answerBytes } from "./answer-bytes.ts";
export { applyHunks } from "./apply-hunks.ts";
export { droppedSide } from "./dropped-side.ts";

/** Lines of clean text shown before and after a hunk. */
const contextLinesMax = 10;
/** UTF-16 units shown of a line of clean text; hunks are shown whole. */
const contextLineCharsMax = 400;

/**
 * The whole file in git's diff3 style with numbered hunks; of long clean stretches only the ends next to hunks are
 * shown. Undecodable bytes appear as U+FFFD and CRLF as a plain line end: `answerBytes` turns an answer back into bytes.
 */
export function renderConflict(regions: readonly Region[]): string {
  const parts = regions.map((region, index) => {
    if (region.kind === "conflict") return renderHunk(region);
    return renderContext(region.bytes, { after: index > 0, before: index < regions.length - 1 });
  });
  return parts.join("");
}

function renderHunk({ hunk, base, ours, theirs }: ConflictRegion): string {
  return [
    `<<<<<<< hunk ${hunk}: ours\n`,
    renderSide(ours),
    `||||||| hunk ${hunk}: base\n`,
    renderSide(base),
    "=======\n",
    renderSide(theirs),
    `>>>>>>> hunk ${hunk}: theirs\n`,
  ].join("");
}

function renderSide(bytes: Uint8Array): string {
  const text = linesOf(bytes)
    .map((line) => `${shownLine(line)}\n`)
    .join("");
  // As in git's patches.
  return bytes.length > 0 && bytes.at(-1) !== 0x0a ? `${text}\\ No newline at end of file\n` : text;
}

function renderContext(bytes: Uint8Array, hunks: { readonly after: boolean; readonly before: boolean }): string {
  const lines = linesOf(bytes);
  const head = hunks.after ? contextLinesMax : 0;
  const tail = hunks.before ? contextLinesMax : 0;
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
