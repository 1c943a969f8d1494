// An arbiter's answer as bytes. The view it read shows decoded text with plain line ends, so a line it kept gets the
// bytes it had on its side back, and a new line ends as most lines of the hunk do.

import { type Lines, lineBytes, splitLines } from "./lines.ts";
import type { ConflictRegion } from "./merge.ts";

const LF = 0x0a;

/** The bytes that `text` stands for in the place of `hunk`: line endings, undecodable bytes and a missing last newline as on the sides. */
export function answerBytes(hunk: Pick<ConflictRegion, "base" | "ours" | "theirs">, text: string): Uint8Array {
  if (text === "") return new Uint8Array(0);
  const sides = [hunk.base, hunk.theirs, hunk.ours].map(linesOf);
  const known = new Map(sides.flatMap((side) => side.map((line) => [shownLine(line), line] as const)));
  const all = sides.flat();
  const crlf = all.filter((line) => line.at(-2) === 0x0d && line.at(-1) === LF).length;
  const ending = crlf * 2 > all.length ? "\r\n" : "\n";
  const unended = [hunk.ours, hunk.theirs].filter((side) => side.length > 0 && side.at(-1) !== LF).length;
  const shown = text.split(/\r?\n/);
  const endsLine = shown.at(-1) === "";
  if (endsLine) shown.pop();
  const parts = shown.map((line) => finished(known.get(line) ?? Buffer.from(line + ending), ending));
  // Only a file's last hunk has a side without a last newline: then the answer decides, or both sides do.
  const leaveOpen = unended === 2 || (unended === 1 && !endsLine);
  if (leaveOpen) parts.push(opened(parts.pop()));
  return Buffer.concat(parts);
}

/** A line as the arbiter is shown it: decoded, without its ending. */
export function shownLine(line: Uint8Array): string {
  return Buffer.from(line)
    .toString("utf8")
    .replace(/\r?\n$/, "");
}

/** The lines of a text, each with its ending. */
export function linesOf(bytes: Uint8Array): Uint8Array[] {
  const lines: Lines | null = splitLines(bytes, Number.POSITIVE_INFINITY);
  return lines === null ? [] : lines.ends.map((_, line) => lineBytes(lines, line, line + 1));
}

function finished(line: Uint8Array, ending: string): Uint8Array {
  return line.at(-1) === LF ? line : Buffer.concat([line, Buffer.from(ending)]);
}

function opened(line: Uint8Array | undefined): Uint8Array {
  if (line === undefined) return new Uint8Array(0);
  return line.subarray(0, line.at(-2) === 0x0d ? line.length - 2 : line.length - 1);
}
