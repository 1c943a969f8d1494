// The index of a repository's notes: where each note stands and what its heading says, newest first, and which notes hold which words. It
// lets a reader leave thousands of files closed. Invariant: an entry says of which size and change time its file was, and counts for nothing
// else; with a wrong checksum there is no index, which costs only time.

import type { FileHandle } from "../../host/files.ts";
import type { ByteText } from "./note-row.ts";
import { type FullTable, piecesHolding, readList, type TokenTable } from "./note-tokens.ts";
import { type ColumnForm, ColumnReader, narrowest, packed, type Whole } from "./packed-columns.ts";
import type { MemoryFiles } from "./places.ts";

/** Numbers are places in the lists. Files are three to a session, in the order of NOTE_KINDS. */
export interface NoteIndex {
  /** In the order of their names. */
  readonly sessions: readonly string[];
  readonly branches: readonly (string | null)[];
  /** Of each file; bytes, and milliseconds since the epoch. -1 where it is not known. */
  readonly sizes: Float64Array;
  readonly changed: Float64Array;
  /** Of each note, newest first. */
  readonly at: Float64Array;
  readonly file: Whole;
  /** As many as there are branches where it has no heading: then it belongs to each of them. */
  readonly branch: Whole;
  readonly kind: Whole;
  readonly start: Whole;
  readonly length: Whole;
  /** Of questions and answers alone: which note it is, rising, and the question's id. */
  readonly marked: Whole;
  readonly ids: Whole;
  /** How many notes a file has of a branch, for each that has any: they are counted oftener than looked at. */
  readonly groups: {
    readonly file: Whole;
    readonly branch: Whole;
    readonly count: Whole;
  };
}

export interface ReadIndex {
  readonly index: NoteIndex;
  /** Tells it from another that came in its place. */
  readonly sum: number;
  /** By the note's number, 1 where it holds every word that was asked for; null where none was. */
  readonly holding: Uint8Array | null;
}

interface IndexHead {
  readonly sessions: readonly string[];
  readonly branches: readonly (string | null)[];
  readonly columns: readonly ColumnForm[];
  /** Of the table of pieces, which has its columns first. */
  readonly pieces: {
    readonly columns: readonly ColumnForm[];
    readonly columnBytes: number;
    readonly bytes: number;
    readonly sum: number;
  };
  readonly listBytes: number;
}

interface OpenIndex {
  readonly head: IndexHead;
  readonly index: NoteIndex;
  readonly sum: number;
  /** Where the table of pieces begins. */
  readonly end: number;
  readonly read: (offset: number, length: number) => Promise<Buffer>;
}

const magic = "skein-notes 3";
const prologueBytes = 64;
const indexBytesMax = 256 * 1024 * 1024;
const narrow = Uint32Array.BYTES_PER_ELEMENT;
const wide = Float64Array.BYTES_PER_ELEMENT;
/** Beyond it all lists are read at once. */
const listsReadMax = 16;

/** `words` are what will be asked for. */
export function readIndexFile(files: MemoryFiles, path: string, words: readonly ByteText[]): Promise<ReadIndex | null> {
  return withIndex(files, path, async (open) => {
    const { index, sum } = open;
    if (words.length === 0) return { index, sum, holding: null };
    const holding = await notesHolding(open, words);
    return holding === null ? null : { index, sum, holding };
  });
}

/** What the index says of its notes' words; null where another came in its place. */
export function readTokens(files: MemoryFiles, path: string, sum: number): Promise<FullTable | null> {
  return withIndex(files, path, async (open) => {
    const table = open.sum === sum ? await tableIn(open) : null;
    return table === null ? null : { ...table, lists: await listsIn(open) };
  });
}

/** Null where there is no index, or a damaged one; the file is closed again in any case. */
async function withIndex<T>(
  files: MemoryFiles,
  path: string,
  use: (open: OpenIndex) => Promise<T | null>,
): Promise<T | null> {
  const opened = await files.open(path, "read");
  if (!opened.ok) return null;
  const handle = opened.value;
  try {
    const open = await openIndex(handle);
    return open === null ? null : await use(open);
  } catch {
    // With a right checksum and wrong content somebody else wrote it.
    return null;
  } finally {
    await handle.close();
  }
}

async function openIndex(handle: FileHandle): Promise<OpenIndex | null> {
  const read = async (offset: number, length: number): Promise<Buffer> => {
    const bytes = length <= indexBytesMax ? await handle.read(offset, length) : null;
    if (!bytes?.ok || bytes.value.length !== length) throw new RangeError("it is torn");
    return Buffer.from(bytes.value.buffer, bytes.value.byteOffset, bytes.value.byteLength);
  };
  const [, headText, bodyText, sumText] = PROLOGUE.exec((await read(0, prologueBytes)).toString("latin1")) ?? [];
  const [headBytes, bodyBytes, sum] = [Number(headText), Number(bodyText), Number(sumText)];
  if (!(headBytes + bodyBytes <= indexBytesMax)) return null;
  const bytes = await read(prologueBytes, headBytes + bodyBytes);
  if (bytes.length === 0 || checksum(bytes) !== sum) return null;
  const head: IndexHead = JSON.parse(bytes.toString("utf8", 0, headBytes));
  const reader = new ColumnReader(head.columns, aligned(bytes.subarray(headBytes)));
  const index: NoteIndex = {
    sessions: head.sessions,
    branches: head.branches,
    sizes: reader.wide(),
    changed: reader.wide(),
    at: reader.wide(),
    file: reader.whole(),
    branch: reader.whole(),
    kind: reader.whole(),
    start: reader.whole(),
    length: reader.whole(),
    marked: reader.whole(),
    ids: reader.whole(),
    groups: { file: reader.whole(), branch: reader.whole(), count: reader.whole() },
  };
  return { head, index, sum, end: prologueBytes + bytes.length, read };
}

const PROLOGUE = new RegExp(`^${magic} (\\d{1,10}) (\\d{1,10}) (\\d{1,10}) *\\n$`);

async function tableIn({ head: { pieces }, end, read }: OpenIndex): Promise<TokenTable | null> {
  const bytes = aligned(await read(end, pieces.bytes));
  // Torn, or lost in a crash that kept the length.
  if (checksum(bytes) !== pieces.sum) return null;
  const reader = new ColumnReader(pieces.columns, bytes);
  const [pieceEnds, listEnds] = [reader.whole(), reader.whole()];
  return { pieces: bytes.subarray(pieces.columnBytes), pieceEnds, listEnds };
}

function listsIn({ head, end, read }: OpenIndex): Promise<Buffer> {
  return read(end + head.pieces.bytes, head.listBytes);
}

/** 1 for each note that holds all words; null where a list is damaged. */
async function notesHolding(open: OpenIndex, words: readonly ByteText[]): Promise<Uint8Array | null> {
  const table = await tableIn(open);
  if (table === null) return null;
  const pieces = words.map((word) => piecesHolding(table, word));
  const asked = pieces.reduce((sum, { length }) => sum + length, 0);
  const all = asked > listsReadMax ? await listsIn(open) : null;
  const listsAt = open.end + open.head.pieces.bytes;
  const notes = new Uint32Array(open.index.at.length);
  /** How many of the words it holds, of those that were looked for until now. */
  const held = new Uint8Array(notes.length);
  for (const [word, own] of pieces.entries())
    for (const piece of own) {
      const [from, to] = [table.listEnds[piece - 1] ?? 0, table.listEnds[piece] ?? 0];
      const count = readList(all?.subarray(from, to) ?? (await open.read(listsAt + from, to - from)), notes);
      if (count === null) return null;
      for (let at = 0; at < count; at++) {
        const note = notes[at] ?? 0;
        if (held[note] === word) held[note] = word + 1;
      }
    }
  for (let note = 0; note < held.length; note++) held[note] = held[note] === words.length ? 1 : 0;
  return held;
}

/** What `readIndexFile` reads. */
export function indexFileOf(index: NoteIndex, table: FullTable): Uint8Array {
  const { sessions, branches, sizes, changed, at, file, branch, kind, start, length, marked, ids, groups } = index;
  const counted = [groups.file, groups.branch, groups.count];
  const columns = packed([sizes, changed, at, file, branch, kind, start, length, marked, ids, ...counted]);
  const ends = packed([narrowest(table.pieceEnds), narrowest(table.listEnds)]);
  const pieces = Buffer.concat([ends.bytes, table.pieces]);
  const said: IndexHead = {
    sessions,
    branches,
    columns: columns.forms,
    pieces: { columns: ends.forms, columnBytes: ends.bytes.length, bytes: pieces.length, sum: checksum(pieces) },
    listBytes: table.lists.length,
  };
  const json = Buffer.from(JSON.stringify(said));
  // What follows begins where a wide number may.
  const head = Buffer.concat([json, Buffer.alloc(-json.length & (wide - 1), " ")]);
  const body = Buffer.concat([head, columns.bytes]);
  const prologue = `${magic} ${head.length} ${columns.bytes.length} ${checksum(body)}`;
  return Buffer.concat([Buffer.from(`${prologue.padEnd(prologueBytes - 1)}\n`), body, pieces, table.lists]);
}

/** A wide number may not begin anywhere. */
function aligned(bytes: Buffer): Buffer {
  if (bytes.byteOffset % wide === 0) return bytes;
  const copy = Buffer.from(new ArrayBuffer(bytes.length));
  copy.set(bytes);
  return copy;
}

/**
 * FNV-1a over one word of 32 bits in each 256 bytes. A file that lost its blocks in a crash has its length, and not its content: no block is so
 * small, and each byte more is one that all readers wait for.
 */
function checksum(bytes: Uint8Array): number {
  const own = bytes.byteOffset % narrow === 0 ? bytes : new Uint8Array(bytes);
  const words = new Int32Array(own.buffer, own.byteOffset, own.length >>> 2);
  let sum = 0x811c9dc5;
  for (let at = 0; at < words.length; at += checkedEvery) sum = Math.imul(sum ^ (words[at] ?? 0), 0x01000193);
  return sum >>> 0;
}

const checkedEvery = 256 / narrow;
