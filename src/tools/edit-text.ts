// Replaces one passage of a file's content: pure. Content is a string of one character per byte (latin1), so that every byte
// outside the passage stays as it is, valid UTF-8 or not. An LF of the wanted passage also matches a CRLF of the file, and
// the lines put in get the line ending of the lines they replace.

import { err, ok, type Result } from "../base/result.ts";

export interface Edit {
  readonly old_string: string;
  readonly new_string: string;
  readonly replace_all?: boolean | undefined;
}

export type EditError =
  | { readonly kind: "empty" }
  | { readonly kind: "no-change" }
  | { readonly kind: "not-text" }
  | { readonly kind: "not-found" }
  /** Lines, from 1, at which a match begins. */
  | { readonly kind: "ambiguous"; readonly lines: readonly number[] };

export interface Edited {
  /** One character per byte. */
  readonly content: string;
  readonly replacements: number;
}

/** Bytes as a string of one character each. */
export function contentOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
}

export function bytesOf(content: string): Uint8Array {
  return Buffer.from(content, "latin1");
}

export function applyEdit(content: string, edit: Edit): Result<Edited, EditError> {
  if (edit.old_string === "") return err({ kind: "empty" });
  if (edit.old_string === edit.new_string) return err({ kind: "no-change" });
  if (!edit.old_string.isWellFormed() || !edit.new_string.isWellFormed()) return err({ kind: "not-text" });
  const wanted = contentOf(Buffer.from(edit.old_string, "utf8"));
  const replacement = contentOf(Buffer.from(edit.new_string, "utf8"));
  const all = edit.replace_all === true;
  const found = matches(content, wanted, all);
  if (found.length === 0) return err({ kind: "not-found" });
  if (found.length > 1 && !all) return err({ kind: "ambiguous", lines: lineNumbers(content, found) });
  let result = "";
  let at = 0;
  for (const { start, end } of found) {
    const passage = { content, start, end };
    result += content.slice(at, start) + fitted(passage, wanted, replacement);
    at = end;
  }
  return ok({ content: result + content.slice(at), replacements: found.length });
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** All matches; overlapping ones too unless they are to be replaced together: each is a place that may have been meant. */
function matches(content: string, wanted: string, disjoint: boolean): readonly Span[] {
  const lines = wanted.split("\n");
  const found: Span[] = [];
  for (let from = 0; from <= content.length; ) {
    const candidate = nextCandidate(content, lines[0] ?? "", from);
    if (candidate === null) break;
    const end = matchEnd(content, candidate.start, lines);
    if (end !== null) found.push({ start: candidate.start, end });
    from = end !== null && disjoint ? end : candidate.next;
  }
  return found;
}

/** Where a match may begin, and where to look on after it. A wanted LF in front may be a CRLF: that is one place, not two. */
function nextCandidate(content: string, firstLine: string, from: number): { start: number; next: number } | null {
  const at = content.indexOf(firstLine === "" ? "\n" : firstLine, from);
  if (at < 0) return null;
  const isCrlf = firstLine === "" && at > from && content[at - 1] === "\r";
  return { start: isCrlf ? at - 1 : at, next: at + 1 };
}

/** The end of the match that begins at `start`, or null; between the wanted lines the content may have LF or CRLF. */
function matchEnd(content: string, start: number, lines: readonly string[]): number | null {
  let at = start;
  for (const [index, line] of lines.entries()) {
    if (index > 0) {
      if (content[at] === "\r" && content[at + 1] === "\n") at++;
      if (content[at] !== "\n") return null;
      at++;
    }
    if (!content.startsWith(line, at)) return null;
    at += line.length;
  }
  return at;
}

/** The replacement with line endings that fit the passage: lines that stay keep their bytes, new ones take the ending at their place. */
function fitted(passage: Span & { content: string }, wanted: string, replacement: string): string {
  // Who writes CRLF out in the passage means the line endings: then the replacement is taken literally.
  if (wanted.includes("\r\n")) return replacement;
  const present = linesOf(passage.content.slice(passage.start, passage.end));
  const after = linesOf(replacement);
  const kept = sameEnds(linesOf(wanted), after);
  const around = endingAround(passage);
  const replaced = present.slice(0, present.length - kept.tail);
  const middle = after.slice(kept.head, after.length - kept.tail).map((line, index) => {
    // The ending of the line it replaces, else of the last one before it.
    const place = replaced.slice(0, kept.head + index + 1).findLast((other) => other.endsWith("\n"));
    return withEnding(line, place === undefined ? around : endingOf(place));
  });
  return [...present.slice(0, kept.head), ...middle, ...present.slice(present.length - kept.tail)].join("");
}

/** How many lines at the head and at the tail are the same in both; head and tail do not overlap. */
function sameEnds(before: readonly string[], after: readonly string[]): { head: number; tail: number } {
  const most = Math.min(before.length, after.length);
  let head = 0;
  while (head < most && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < most - head && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++;
  return { head, tail };
}

/** Lines with their endings; the last is what follows the last ending, perhaps nothing. */
function linesOf(text: string): readonly string[] {
  return text.split(/(?<=\n)/).concat(text.endsWith("\n") ? [""] : []);
}

function withEnding(line: string, ending: string): string {
  return line.endsWith("\n") && !line.endsWith("\r\n") ? line.slice(0, -1) + ending : line;
}

function endingOf(line: string): string {
  return line.endsWith("\r\n") ? "\r\n" : "\n";
}

/** The ending of the line in which the passage ends, or of the line before it. */
function endingAround({ content, start, end }: Span & { content: string }): string {
  const after = content.indexOf("\n", end);
  const at = after >= 0 ? after : content.lastIndexOf("\n", start);
  return at > 0 && content[at - 1] === "\r" ? "\r\n" : "\n";
}

function lineNumbers(content: string, found: readonly Span[]): readonly number[] {
  const lines: number[] = [];
  let line = 1;
  let at = 0;
  for (const { start } of found) {
    for (let next = content.indexOf("\n", at); next >= 0 && next < start; next = content.indexOf("\n", next + 1)) {
      line++;
      at = next + 1;
    }
    lines.push(line);
  }
  return lines;
}
