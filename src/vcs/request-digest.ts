// Tells a repeated request from another one that took the same key by mistake.

import { hash } from "node:crypto";
import type { Change, CommitRequest } from "./types.ts";
import type { UndoRequest, UndoWish } from "./undo.ts";

const digestCharsMax = 32;

/**
 * Hex digits of SHA-256 over what the request would do: task, changes by path, conflict resolved. Base and message are
 * left out, since a worker that asks again after a crash may word them anew.
 */
export function requestDigest(request: CommitRequest): string {
  const text = plainText(request) ?? textOf(request);
  return hash("sha256", text, "hex").slice(0, digestCharsMax);
}

/** The same of an undo: what it is to take back, and for which task. */
export function undoDigest({ author, wish }: Pick<UndoRequest, "author" | "wish">): string {
  const what = wish.kind === "commits" ? [...new Set(wish.positions)].sort((a, b) => a - b) : whose(wish);
  return hash("sha256", JSON.stringify(["undo", author.task, wish.kind, what]), "hex").slice(0, digestCharsMax);
}

function whose(wish: Exclude<UndoWish, { readonly kind: "commits" }>): string {
  return wish.kind === "agent" ? wish.agent : wish.task;
}

/** JSON of the task, the conflict and, as sorted texts, the JSON of each change: path, kind, blob, mode. */
function textOf({ author, changes, resolves }: CommitRequest): string {
  const lines = changes.map((change) => {
    const { path, kind } = change;
    return JSON.stringify(kind === "delete" ? [path, kind] : [path, kind, change.blob, change.mode]);
  });
  return JSON.stringify([author.task, resolves ?? null, lines.sort()]);
}

/** Bytes of a request whose text is put together here. */
const scratch = Buffer.allocUnsafeSlow(16 * 1024);
const fewChanges = 8;

/** The same text without the way over JSON, for a small request in which nothing is to be escaped; null for any other. */
function plainText({ author, changes, resolves }: CommitRequest): Buffer | null {
  if (changes.length > fewChanges || resolves !== undefined) return null;
  const sorted = inOrder(changes) ? changes : sortedFew(changes);
  let at = plain(author.task, raw(START, 0));
  at = raw(LIST, at);
  let before: Change | null = null;
  for (const change of sorted) {
    // Twice the same path is no commit: such texts would have to be sorted whole.
    if (change.path === before?.path) return null;
    at = plain(change.path, raw(before === null ? FIRST : NEXT, at));
    before = change;
    if (change.kind === "delete") at = raw(DELETED, at);
    else at = raw(LAST, plain(change.mode, raw(BETWEEN, plain(change.blob, raw(PUT, at)))));
  }
  at = raw(END, at);
  return at === -1 ? null : scratch.subarray(0, at);
}

const START = Buffer.from('["');
const LIST = Buffer.from('",null,[');
const FIRST = Buffer.from('"[\\"');
const NEXT = Buffer.from(',"[\\"');
const PUT = Buffer.from('\\",\\"put\\",\\"');
const BETWEEN = Buffer.from('\\",\\"');
const LAST = Buffer.from('\\"]"');
const DELETED = Buffer.from('\\",\\"delete\\"]"');
const END = Buffer.from("]]");

function inOrder(changes: readonly Change[]): boolean {
  for (let at = 1; at < changes.length; at += 1) if (byLine(changes[at - 1]!, changes[at]!) > 0) return false;
  return true;
}

function sortedFew(changes: readonly Change[]): readonly Change[] {
  const sorted = changes.slice();
  for (let end = 1; end < sorted.length; end += 1) {
    const moving = sorted[end]!;
    let at = end;
    for (; at > 0 && byLine(sorted[at - 1]!, moving) > 0; at -= 1) sorted[at] = sorted[at - 1]!;
    sorted[at] = moving;
  }
  return sorted;
}

/** As the changes' texts are sorted, where a quote follows each path. */
function byLine({ path: a }: Change, { path: b }: Change): number {
  if (a === b) return 0;
  if (b.startsWith(a)) return QUOTE - b.charCodeAt(a.length);
  if (a.startsWith(b)) return a.charCodeAt(b.length) - QUOTE;
  return a < b ? -1 : 1;
}

const QUOTE = 0x22;

/** Where it ends in the scratch; -1 where there is no room, or was none before. */
function raw(piece: Buffer, at: number): number {
  if (at === -1 || at + piece.length > scratch.length) return -1;
  for (let index = 0; index < piece.length; index += 1) scratch[at + index] = piece[index]!;
  return at + piece.length;
}

/** The same for a text; -1 also where JSON would escape something, or may. */
function plain(text: string, at: number): number {
  if (at === -1 || at + text.length > scratch.length) return -1;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit < 0x20 || unit > 0x7e || unit === 0x22 || unit === 0x5c) return -1;
    scratch[at + index] = unit;
  }
  return at + text.length;
}
