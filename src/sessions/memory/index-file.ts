// The index of a repository's notes: where each note stands and what its heading says, newest first, and all their words as they are
// searched. It lets a reader leave thousands of files closed. Invariant: an entry says of which size and change time its file was, and
// counts for nothing else; with a wrong checksum there is no index, which costs only time.

import type { MemoryFiles } from "./places.ts";

/** Numbers are places in the lists. Files are three to a session, in the order of NOTE_KINDS. */
export interface NoteIndex {
  readonly sessions: readonly string[];
  readonly branches: readonly (string | null)[];
  /** Of each file; bytes, and milliseconds since the epoch. -1 where it is not known. */
  readonly sizes: Float64Array;
  readonly changed: Float64Array;
  /** Of each note, newest first. */
  readonly at: Float64Array;
  readonly file: Uint32Array;
  readonly branch: Uint32Array;
  readonly kind: Uint32Array;
  readonly id: Uint32Array;
  readonly start: Uint32Array;
  readonly end: Uint32Array;
  /** Where its words end in `words`; they begin where those before end, and a newline is the last of them. */
  readonly wordsEnd: Uint32Array;
}

export interface ReadIndex {
  readonly index: NoteIndex;
  /** Tells it from another that came in its place. */
  readonly sum: number;
  /** Null where they were not asked for. */
  readonly words: Uint8Array | null;
}

interface IndexHead {
  readonly sessions: readonly string[];
  readonly branches: readonly (string | null)[];
  readonly notes: number;
  readonly words: number;
  readonly wordsSum: number;
}

const magic = "skein-notes 2";
const prologueBytes = 64;
const indexBytesMax = 256 * 1024 * 1024;
const [wide, narrow] = [Float64Array.BYTES_PER_ELEMENT, Uint32Array.BYTES_PER_ELEMENT];

export async function readIndexFile(
  files: MemoryFiles,
  path: string,
  { words: wanted }: { readonly words: boolean },
): Promise<ReadIndex | null> {
  const opened = await files.open(path, "read");
  if (!opened.ok) return null;
  const handle = opened.value;
  const read = async (offset: number, length: number): Promise<Buffer> => {
    const bytes = await handle.read(offset, length);
    if (!bytes.ok || bytes.value.length !== length) return Buffer.alloc(0);
    return Buffer.from(bytes.value.buffer, bytes.value.byteOffset, bytes.value.byteLength);
  };
  try {
    const [, headText, bodyText, sumText] = PROLOGUE.exec((await read(0, prologueBytes)).toString("latin1")) ?? [];
    const [headBytes, bodyBytes, sum] = [Number(headText), Number(bodyText), Number(sumText)];
    if (!(headBytes + bodyBytes <= indexBytesMax)) return null;
    const bytes = await read(prologueBytes, headBytes + bodyBytes);
    if (bytes.length === 0 || checksum(bytes) !== sum) return null;
    const head: IndexHead = JSON.parse(bytes.toString("utf8", 0, headBytes));
    const index = columnsIn(head, bytes.subarray(headBytes));
    if (!wanted) return { index, sum, words: null };
    const words = await read(prologueBytes + bytes.length, head.words);
    // Torn, or lost in a crash that kept the length.
    return words.length === head.words && checksum(words) === head.wordsSum ? { index, sum, words } : null;
  } catch {
    // With a right checksum and wrong content somebody else wrote it.
    return null;
  } finally {
    await handle.close();
  }
}

const PROLOGUE = new RegExp(`^${magic} (\\d{1,10}) (\\d{1,10}) (\\d{1,10}) *\\n$`);

/** What `readIndexFile` reads. */
export function indexFileOf(index: NoteIndex, words: Uint8Array): Uint8Array {
  const { sessions, branches, sizes, changed, at, file, branch, kind, id, start, end, wordsEnd } = index;
  const said: IndexHead = {
    sessions,
    branches,
    notes: at.length,
    words: words.length,
    wordsSum: checksum(words),
  };
  const json = Buffer.from(JSON.stringify(said));
  // What follows begins where a wide number may.
  const head = Buffer.concat([json, Buffer.alloc(-json.length & (wide - 1), " ")]);
  const columns = [sizes, changed, at, file, branch, kind, id, start, end, wordsEnd];
  const table = Buffer.concat([
    head,
    ...columns.map((column) => Buffer.from(column.buffer, column.byteOffset, column.byteLength)),
  ]);
  const prologue = `${magic} ${head.length} ${table.length - head.length} ${checksum(table)}`;
  return Buffer.concat([Buffer.from(`${prologue.padEnd(prologueBytes - 1)}\n`), table, words]);
}

/** `bytes` have the checksum with which they were written. */
function columnsIn({ sessions, branches, notes }: IndexHead, bytes: Uint8Array): NoteIndex {
  const files = sessions.length * 3;
  // A wide number may not begin anywhere.
  const { buffer, byteOffset } = bytes.byteOffset % wide === 0 ? bytes : new Uint8Array(bytes);
  let from = byteOffset;
  const wides = (count: number): Float64Array => {
    from += count * wide;
    return new Float64Array(buffer, from - count * wide, count);
  };
  const narrows = (): Uint32Array => {
    from += notes * narrow;
    return new Uint32Array(buffer, from - notes * narrow, notes);
  };
  return {
    sessions,
    branches,
    sizes: wides(files),
    changed: wides(files),
    at: wides(notes),
    file: narrows(),
    branch: narrows(),
    kind: narrows(),
    id: narrows(),
    start: narrows(),
    end: narrows(),
    wordsEnd: narrows(),
  };
}

/**
 * FNV-1a over one word of 32 bits in each 256 bytes. A file that lost its blocks in a crash has its length, and not its content: no block is so
 * small, and each byte more is one that all readers wait for.
 */
function checksum(bytes: Uint8Array): number {
  const aligned = bytes.byteOffset % narrow === 0 ? bytes : new Uint8Array(bytes);
  const words = new Int32Array(aligned.buffer, aligned.byteOffset, aligned.length >>> 2);
  let sum = 0x811c9dc5;
  for (let at = 0; at < words.length; at += checkedEvery) sum = Math.imul(sum ^ (words[at] ?? 0), 0x01000193);
  return sum >>> 0;
}

const checkedEvery = 256 / narrow;
