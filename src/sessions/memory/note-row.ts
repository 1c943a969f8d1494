// One note as readers sort and count it: what its heading says and where it stands, without its words. Invariant: of twenty thousand notes
// only those that are shown are read from their files, and then the words are what the file has at that place.

import type { SessionKey } from "../presence/ids.ts";
import { type NoteHead, type NoteKind, piecesIn, wordsOf } from "./note.ts";

export interface NotesFile {
  readonly key: SessionKey;
  readonly kind: NoteKind;
  readonly path: string;
  readonly size: number;
  /** Milliseconds since the epoch. */
  readonly changedMs: number;
}

/** `loose` is text without a heading. */
export const ROW_KINDS = ["plain", "question", "answer", "loose"] as const;
export type RowKind = (typeof ROW_KINDS)[number];

/**
 * UTF-8 with a character for each byte: as quick to search as plain text, and places in it are places in a file. Characters of text would
 * take two bytes each where one of them is not Latin.
 */
export type ByteText = string;

export interface NoteRow {
  readonly file: NotesFile;
  /** Milliseconds since the epoch; 0 where it is loose. */
  readonly at: number;
  /** Null where there was none, and where it is loose. */
  readonly branch: string | null;
  readonly kind: RowKind;
  /** Of a question, or the one that an answer names: eight hexadecimal digits. */
  readonly id: string;
  /** Bytes in the file. */
  readonly start: number;
  readonly end: number;
}

/** A row that was just made, with its words as they are searched. */
export interface FreshRow extends NoteRow {
  readonly searched: ByteText;
}

/** `from` is where in the file the bytes begin. */
export function rowsIn(file: NotesFile, bytes: Uint8Array, from: number): FreshRow[] {
  const text = byteText(bytes);
  return piecesIn(text, textOf).pieces.map(({ start, end, head }) => {
    const words = textOf(wordsOf(text.slice(start, end), head !== null));
    const place = { start: from + start, end: from + end, searched: searchable(words) };
    if (head === null) return { file, at: 0, branch: null, kind: "loose", id: "", ...place };
    const { at, branch, mark } = head;
    return { file, at, branch, kind: mark.kind, id: idOf(head), ...place };
  });
}

/** Of a question, or the one that an answer names; else empty. */
export function idOf({ mark }: NoteHead): string {
  return mark.kind === "plain" ? "" : mark.kind === "question" ? mark.id : mark.to;
}

/** Newest first; of one moment in the order of directories, files and lines. */
export function byTime(a: NoteRow, b: NoteRow): number {
  if (a.at !== b.at) return b.at - a.at;
  if (a.file.key !== b.file.key) return a.file.key < b.file.key ? -1 : 1;
  if (a.file.kind !== b.file.kind) return KIND_ORDER[a.file.kind] - KIND_ORDER[b.file.kind];
  return a.start - b.start;
}

const KIND_ORDER: Readonly<Record<NoteKind, number>> = { scratchpad: 0, decisions: 1, questions: 2 };

/** Two that are sorted so, as one, made as it is looked at. */
export function* mergedByTime<T extends NoteRow>(one: Iterable<T>, other: readonly T[]): Generator<T> {
  let next = 0;
  for (const row of one) {
    for (let before = other[next]; before !== undefined && byTime(before, row) < 0; before = other[next]) {
      yield before;
      next += 1;
    }
    yield row;
  }
  yield* other.slice(next);
}

/** What a reader on this branch is shown: text without a heading belongs to every branch. */
export function isOnBranch({ kind, branch }: NoteRow, wanted: string | null): boolean {
  return kind === "loose" || branch === wanted;
}

/** Ids of the questions that these answer. */
export function answeredIn(rows: readonly NoteRow[]): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const { kind, id } of rows) if (kind === "answer") ids.add(id);
  return ids;
}

/** Case and the several ways to write one letter do not count. */
export function searchable(text: string): ByteText {
  // Most text is plain, and normalising costs more than all the rest.
  if (!NOT_ASCII.test(text)) return text.toLowerCase();
  return byteText(Buffer.from(text.normalize("NFKC").toLowerCase()));
}

const NOT_ASCII = /[^\0-\x7f]/;

export function byteText(bytes: Uint8Array): ByteText {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
}

/** Characters again. */
export function textOf(text: ByteText): string {
  return NOT_ASCII.test(text) ? Buffer.from(text, "latin1").toString("utf8") : text;
}
