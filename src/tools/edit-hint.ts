// Why a passage was not found: pure. Looks for what the model probably meant, so that its next try can be right.

import { mostAlike } from "../base/similar.ts";

const linesLookedAtMax = 50_000;
const linesShownMax = 8;
const lineCharsMax = 200;

/** A sentence or two for the model; `content` and `wanted` are text with LF or CRLF line ends. */
export function notFoundHint(content: string, wanted: string): string {
  const lines = content.split(/\r?\n/, linesLookedAtMax);
  const wantedLines = wanted.split(/\r?\n/);
  if (wantedLines.filter((line) => line !== "").every((line) => /^ *\d+\t/.test(line))) {
    return "old_string has line numbers in front, as read_file shows them: leave the number and the tab out.";
  }
  const spaced = sameButSpace(lines, wantedLines);
  if (spaced !== null) {
    return `a passage that differs only in white space begins at line ${spaced + 1}; exactly as in the file:\n${shown(lines, spaced, wantedLines.length)}`;
  }
  const first = wantedLines.find((line) => line.trim() !== "");
  const [near] = first === undefined ? [] : mostAlike(first, lines, 1, 0.5);
  if (near === undefined) return "no line is like its first one. Read the file and copy the passage from it.";
  return `the line most like its first one is line ${near + 1}; there the file has:\n${shown(lines, near, wantedLines.length)}`;
}

/** Index of the first line at which the wanted lines stand but for white space in and around them. */
function sameButSpace(lines: readonly string[], wanted: readonly string[]): number | null {
  const bare = (line: string) => line.replace(/\s+/g, "");
  const sought = wanted.map(bare);
  while (sought.length > 1 && sought.at(-1) === "") sought.pop();
  while (sought.length > 1 && sought[0] === "") sought.shift();
  if (sought.every((line) => line === "")) return null;
  const there = lines.map(bare);
  for (let start = 0; start + sought.length <= there.length; start++) {
    const matches = sought.every((line, index) => {
      const found = there[start + index] ?? "";
      // A passage may begin and end inside a line.
      if (index === 0 && sought.length === 1) return found.includes(line);
      if (index === 0) return found.endsWith(line);
      return index === sought.length - 1 ? found.startsWith(line) : found === line;
    });
    if (matches) return start;
  }
  return null;
}

function shown(lines: readonly string[], start: number, count: number): string {
  return lines
    .slice(start, start + Math.min(count, linesShownMax))
    .map((line) => (line.length > lineCharsMax ? `${line.slice(0, lineCharsMax)}…` : line))
    .join("\n");
}
