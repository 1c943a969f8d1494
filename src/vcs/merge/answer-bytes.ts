// An arbiter's answer as bytes. The view it read shows decoded text with plain line ends, so a line it kept gets the
// bytes it had on its side back, and a new line ends as most lines of the hunk do. No byte is guessed: a replacement
// character (U+FFFD) that may stand for several bytes, or for none that a side has, is an error.

import { err, ok, type Result } from "../../base/result.ts";
import { type Lines, lineBytes, splitLines } from "./lines.ts";
import type { ConflictRegion } from "./merge.ts";

export interface UnknownBytes {
  readonly kind: "unknown-bytes";
  /** The line of the answer, from 1. */
  readonly line: number;
  readonly text: string;
}

const LF = 0x0a;
const REPLACEMENT = "\ufffd";

/** The bytes that `text` stands for in the place of `hunk`: line endings, undecodable bytes and a missing last newline as on the sides. */
export function answerBytes(
  hunk: Pick<ConflictRegion, "base" | "ours" | "theirs">,
  text: string,
): Result<Uint8Array, UnknownBytes> {
  if (text === "") return ok(new Uint8Array(0));
  const sides = [hunk.base, hunk.theirs, hunk.ours].map(linesOf);
  const all = sides.flat();
  const known = new Map(all.map((line) => [shownLine(line), line] as const));
  const crlf = all.filter((line) => line.at(-2) === 0x0d && line.at(-1) === LF).length;
  const ending = crlf * 2 > all.length ? "\r\n" : "\n";
  const unended = [hunk.ours, hunk.theirs].filter((side) => side.length > 0 && side.at(-1) !== LF).length;
  const shown = text.toWellFormed().split(/\r?\n/);
  const endsLine = shown.at(-1) === "";
  if (endsLine) shown.pop();
  const dictionary = shown.some((line) => line.includes(REPLACEMENT)) ? new Dictionary(all) : null;
  const parts: Uint8Array[] = [];
  for (const [index, line] of shown.entries()) {
    const plain = !line.includes(REPLACEMENT) || dictionary?.hasLine(line) === true;
    const bytes = plain ? (known.get(line) ?? Buffer.from(line)) : (dictionary?.bytesOf(line) ?? null);
    if (bytes === null) return err({ kind: "unknown-bytes", line: index + 1, text: line });
    parts.push(finished(bytes, ending));
  }
  // Only a file's last hunk has a side without a last newline: then the answer decides, or both sides do.
  const leaveOpen = unended === 2 || (unended === 1 && !endsLine);
  if (leaveOpen) parts.push(opened(parts.pop()));
  return ok(Buffer.concat(parts));
}

/** A line as the arbiter is shown it: decoded, without its ending. */
export function shownLine(line: Uint8Array): string {
  return Buffer.from(line)
    .toString("utf8")
    .replace(/\r?\n$/, "");
}

/** A text as the arbiter is shown it: decoded, with plain line ends. Its offsets are those of `read_conflict`. */
export function shownText(bytes: Uint8Array): string {
  return linesOf(bytes)
    .map((line) => `${shownLine(line)}${line.at(-1) === LF ? "\n" : ""}`)
    .join("");
}

/** The lines of a text, each with its ending. */
export function linesOf(bytes: Uint8Array): Uint8Array[] {
  const lines: Lines | null = splitLines(bytes, Number.POSITIVE_INFINITY);
  return lines === null ? [] : lines.ends.map((_, line) => lineBytes(lines, line, line + 1));
}

/** What the sides' bytes look like when they are shown, line by line and word by word. */
class Dictionary {
  readonly #lines = new Map<string, Uint8Array | null>();
  readonly #words = new Map<string, Uint8Array | null>();

  constructor(lines: readonly Uint8Array[]) {
    for (const line of lines) {
      const body = withoutEnding(line);
      note(this.#lines, body);
      for (const word of wordsOf(body)) note(this.#words, word);
    }
  }

  /** True if some side has this line, and no side another one that looks like it. */
  hasLine(line: string): boolean {
    return (this.#lines.get(line) ?? null) !== null;
  }

  /** Word by word; null where a replacement character stands for no bytes of a side, or for several. */
  bytesOf(line: string): Uint8Array | null {
    const parts: Uint8Array[] = [];
    for (const [part] of line.matchAll(/[\w\u0080-\uffff]+|[^\w\u0080-\uffff]+/g)) {
      const bytes = part.includes(REPLACEMENT) ? this.#words.get(part) : Buffer.from(part);
      if (bytes === undefined || bytes === null) return null;
      parts.push(bytes);
    }
    return Buffer.concat(parts);
  }
}

/** Null marks what is shown alike and is not: two byte sequences with one look. */
function note(seen: Map<string, Uint8Array | null>, bytes: Uint8Array): void {
  const shown = Buffer.from(bytes).toString("utf8");
  if (!shown.includes(REPLACEMENT)) return;
  const before = seen.get(shown);
  if (before === undefined) seen.set(shown, bytes);
  else if (before !== null && Buffer.compare(before, bytes) !== 0) seen.set(shown, null);
}

/** Runs of ASCII word characters and bytes above ASCII. At an ASCII byte every decoder begins anew, so a run decodes by itself. */
function wordsOf(bytes: Uint8Array): readonly Uint8Array[] {
  const words: Uint8Array[] = [];
  for (const match of Buffer.from(bytes)
    .toString("latin1")
    .matchAll(/[\w\u0080-\u00ff]+/g)) {
    words.push(bytes.subarray(match.index, match.index + match[0].length));
  }
  return words;
}

function withoutEnding(line: Uint8Array): Uint8Array {
  if (line.at(-1) !== LF) return line;
  return line.subarray(0, line.at(-2) === 0x0d ? line.length - 2 : line.length - 1);
}

function finished(line: Uint8Array, ending: string): Uint8Array {
  return line.at(-1) === LF ? line : Buffer.concat([line, Buffer.from(ending)]);
}

function opened(line: Uint8Array | undefined): Uint8Array {
  return line === undefined ? new Uint8Array(0) : withoutEnding(line);
}
