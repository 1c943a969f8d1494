// The notes that an index has of files that are as they were: as rows, and by the words they hold. Invariant: of a file that was not claimed
// with the size and change time that it has now, nothing is answered.

import type { SessionKey } from "../presence/ids.ts";
import type { NoteIndex, ReadIndex } from "./index-file.ts";
import { NOTE_KINDS, type NoteKind } from "./note.ts";
import {
  type ByteText,
  byteText,
  type FreshRow,
  type NoteRow,
  type NotesFile,
  ROW_KINDS,
  type RowKind,
} from "./note-row.ts";

/** Its fields are looked up when they are asked for: of twenty thousand rows most are only counted. */
export class IndexedRow implements NoteRow {
  readonly #index: NoteIndex;
  readonly #number: number;
  readonly file: NotesFile;

  constructor(index: NoteIndex, number: number, file: NotesFile) {
    this.#index = index;
    this.#number = number;
    this.file = file;
  }

  get at(): number {
    return this.#index.at[this.#number] ?? 0;
  }

  get branch(): string | null {
    return this.#index.branches[this.#index.branch[this.#number] ?? -1] ?? null;
  }

  get kind(): RowKind {
    return ROW_KINDS[this.#index.kind[this.#number] ?? 0] ?? "plain";
  }

  get id(): string {
    const { kind } = this;
    if (kind !== "question" && kind !== "answer") return "";
    return (this.#index.id[this.#number] ?? 0).toString(16).padStart(8, "0");
  }

  get start(): number {
    return this.#index.start[this.#number] ?? 0;
  }

  get end(): number {
    return this.#index.end[this.#number] ?? 0;
  }

  /** Where its words are in the index's; a newline is behind them. */
  get wordsFrom(): number {
    return this.#index.wordsEnd[this.#number - 1] ?? 0;
  }

  get wordsEnd(): number {
    return this.#index.wordsEnd[this.#number] ?? 0;
  }
}

export class IndexedNotes {
  readonly #index: NoteIndex;
  readonly #words: Buffer;
  /** The same, once it pays. */
  #text: ByteText | null = null;
  readonly #sessions: ReadonlyMap<string, number>;
  /** By the file's number. */
  readonly #claimed: (NotesFile | null)[];
  #rows: readonly IndexedRow[] | null = null;

  constructor({ index, words }: ReadIndex) {
    this.#index = index;
    this.#words = Buffer.from(words?.buffer ?? new ArrayBuffer(0), words?.byteOffset, words?.byteLength);
    this.#sessions = new Map(index.sessions.map((key, number) => [key, number]));
    this.#claimed = Array.from(index.sizes, () => null);
  }

  /** Whether the index has this file as it is. `place` is its kind's in NOTE_KINDS. Before any rows are asked for. */
  claim(file: NotesFile, place: number): boolean {
    const number = (this.#sessions.get(file.key) ?? -1) * NOTE_KINDS.length + place;
    if (this.#index.sizes[number] !== file.size || this.#index.changed[number] !== file.changedMs) return false;
    this.#claimed[number] = file;
    return true;
  }

  /** When the newest file of a session was changed, as far as the index knows; null for a session that it does not have. */
  changedMs(key: SessionKey): number | null {
    const session = this.#sessions.get(key);
    if (session === undefined) return null;
    return Math.max(...this.#index.changed.subarray(session * NOTE_KINDS.length, (session + 1) * NOTE_KINDS.length));
  }

  /** Files of these sessions as the index has them, seen or not: to be kept, not to be shown. */
  filesOf(keys: readonly SessionKey[], pathOf: (key: SessionKey, kind: NoteKind) => string): readonly NotesFile[] {
    return keys.flatMap((key) =>
      NOTE_KINDS.flatMap((kind, place): readonly NotesFile[] => {
        const number = (this.#sessions.get(key) ?? -1) * NOTE_KINDS.length + place;
        const [size, changedMs] = [this.#index.sizes[number] ?? -1, this.#index.changed[number] ?? -1];
        return size < 0 ? [] : [{ key, kind, path: pathOf(key, kind), size, changedMs }];
      }),
    );
  }

  /** Of claimed files, newest first. */
  rows(): readonly IndexedRow[] {
    return (this.#rows ??= this.#made());
  }

  #made(): readonly IndexedRow[] {
    const { file } = this.#index;
    const rows: IndexedRow[] = [];
    for (let number = 0; number < file.length; number++) {
      const claimed = this.#claimed[file[number] ?? -1] ?? null;
      if (claimed !== null) rows.push(new IndexedRow(this.#index, number, claimed));
    }
    return rows;
  }

  /** The rows that hold every one of `words`; newest first. The index was read with its words. */
  rowsWith(words: readonly ByteText[]): readonly IndexedRow[] {
    // Of a long word there are few.
    const [rarest = "", ...others] = words.toSorted((a, b) => b.length - a.length);
    const rows = this.rows();
    const found: IndexedRow[] = [];
    let next = 0;
    let finds = 0;
    const find = (from: number): number => {
      finds += 1;
      // Making characters of all of it costs as much as hundreds of searches in bytes.
      if (finds > findsInBytesMax) this.#text ??= byteText(this.#words);
      return this.#text?.indexOf(rarest, from) ?? this.#words.indexOf(rarest, from, "latin1");
    };
    for (let at = find(0); at >= 0; ) {
      while ((rows[next]?.wordsEnd ?? Number.POSITIVE_INFINITY) <= at) next += 1;
      const row = rows[next];
      if (row === undefined) break;
      let from = row.wordsFrom;
      if (row.wordsFrom <= at) {
        const text = others.length === 0 ? "" : this.wordsOf(row);
        if (others.every((word) => text.includes(word))) found.push(row);
        from = row.wordsEnd;
      }
      at = find(from);
    }
    return found;
  }

  wordsOf({ wordsFrom, wordsEnd }: IndexedRow): ByteText {
    return this.#text?.slice(wordsFrom, wordsEnd - 1) ?? this.#words.toString("latin1", wordsFrom, wordsEnd - 1);
  }
}

const findsInBytesMax = 300;

/** An index of these files and rows, which are newest first. */
export function indexOf(
  files: readonly NotesFile[],
  rows: readonly (IndexedRow | FreshRow)[],
  wordsOf: (row: IndexedRow | FreshRow) => ByteText,
): { readonly index: NoteIndex; readonly words: Uint8Array } {
  const sessions = [...new Set(files.map(({ key }) => key))];
  const branches = [...new Set(rows.map(({ branch }) => branch))];
  const sessionNumbers = new Map(sessions.map((key, number) => [key, number]));
  const branchNumbers = new Map(branches.map((branch, number) => [branch, number]));
  const numberOf = ({ key, kind }: NotesFile): number =>
    (sessionNumbers.get(key) ?? 0) * NOTE_KINDS.length + NOTE_KINDS.indexOf(kind);
  const count = sessions.length * NOTE_KINDS.length;
  const [sizes, changed] = [new Float64Array(count).fill(-1), new Float64Array(count).fill(-1)];
  for (const file of files) {
    sizes[numberOf(file)] = file.size;
    changed[numberOf(file)] = file.changedMs;
  }
  let wordsEnd = 0;
  const words = rows.map(wordsOf);
  const ends = Uint32Array.from(words, ({ length }) => (wordsEnd += length + 1));
  const index: NoteIndex = {
    sessions,
    branches,
    sizes,
    changed,
    at: Float64Array.from(rows, ({ at }) => at),
    file: Uint32Array.from(rows, ({ file }) => numberOf(file)),
    branch: Uint32Array.from(rows, ({ branch }) => branchNumbers.get(branch) ?? 0),
    kind: Uint32Array.from(rows, ({ kind }) => ROW_KINDS.indexOf(kind)),
    id: Uint32Array.from(rows, ({ id }) => (id === "" ? 0 : Number.parseInt(id, 16))),
    start: Uint32Array.from(rows, ({ start }) => start),
    end: Uint32Array.from(rows, ({ end }) => end),
    wordsEnd: ends,
  };
  return { index, words: Buffer.from([...words, ""].join("\n"), "latin1") };
}
