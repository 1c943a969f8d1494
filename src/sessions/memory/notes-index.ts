// The notes that an index has of files that are as they were: as rows, and by the words they hold. Invariant: of a file that was not claimed
// with the size and change time that it has now, nothing is answered.

import { asSessionKey, type SessionKey } from "../presence/ids.ts";
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
    return idText(this.#index.id[this.#number] ?? 0);
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

interface IndexedOnBranch {
  /** Questions that nobody has answered. */
  readonly open: readonly number[];
  readonly others: Uint32Array;
  readonly writers: readonly SessionKey[];
}

export type PathOf = (key: SessionKey, kind: NoteKind) => string;

export class IndexedNotes {
  readonly #index: NoteIndex;
  readonly #words: Buffer;
  /** The same, once it pays. */
  #text: ByteText | null = null;
  readonly #sessions: ReadonlyMap<string, number>;
  readonly #pathOf: PathOf;
  /** By the file's number: 1 where the file is as it was. */
  readonly #claimed: Uint8Array;
  readonly #files = new Map<number, NotesFile>();
  #numbers: Uint32Array | null = null;

  constructor({ index, words }: ReadIndex, pathOf: PathOf) {
    this.#index = index;
    this.#words = Buffer.from(words?.buffer ?? new ArrayBuffer(0), words?.byteOffset, words?.byteLength);
    this.#sessions = new Map(index.sessions.map((key, number) => [key, number]));
    this.#pathOf = pathOf;
    this.#claimed = new Uint8Array(index.sizes.length);
  }

  /** Whether the index has this file as it is. `place` is its kind's in NOTE_KINDS. Before any notes are asked for. */
  claim(key: SessionKey, place: number, { size, changedMs }: Pick<NotesFile, "size" | "changedMs">): boolean {
    const number = (this.#sessions.get(key) ?? -1) * NOTE_KINDS.length + place;
    if (number < 0 || this.#index.sizes[number] !== size) return false;
    const laterMs = Math.abs((this.#index.changed[number] ?? -1) - changedMs);
    if (!(laterMs < roundedMs)) return false;
    this.#index.changed[number] = changedMs;
    this.#claimed[number] = 1;
    return true;
  }

  /** That were claimed. */
  files(): readonly NotesFile[] {
    return [...this.#claimed.keys()]
      .filter((number) => this.#claimed[number] === 1)
      .map((number) => this.#file(number));
  }

  /** As the index has it. */
  #file(number: number): NotesFile {
    const known = this.#files.get(number);
    if (known !== undefined) return known;
    const key = asSessionKey(this.#index.sessions[Math.trunc(number / NOTE_KINDS.length)] ?? "");
    const kind = NOTE_KINDS[number % NOTE_KINDS.length] ?? NOTE_KINDS[0];
    const [size, changedMs] = [this.#index.sizes[number] ?? -1, this.#index.changed[number] ?? -1];
    const file = { key, kind, path: this.#pathOf(key, kind), size, changedMs };
    this.#files.set(number, file);
    return file;
  }

  /** When the newest file of a session was changed, as far as the index knows; null for a session that it does not have. */
  changedMs(key: SessionKey): number | null {
    const session = this.#sessions.get(key);
    if (session === undefined) return null;
    return Math.max(...this.#index.changed.subarray(session * NOTE_KINDS.length, (session + 1) * NOTE_KINDS.length));
  }

  /** Claims what the index has of this session, seen or not: to be kept, not to be shown. */
  claimUnseen(key: SessionKey): void {
    for (const place of NOTE_KINDS.keys()) {
      const number = (this.#sessions.get(key) ?? -1) * NOTE_KINDS.length + place;
      if ((this.#index.sizes[number] ?? -1) >= 0) this.#claimed[number] = 1;
    }
  }

  /** Of the notes in claimed files, newest first. */
  numbers(): Uint32Array {
    return (this.#numbers ??= this.#known());
  }

  #known(): Uint32Array {
    const { file } = this.#index;
    const claimed = this.#claimed;
    const numbers = new Uint32Array(file.length);
    let count = 0;
    for (let number = 0; number < file.length; number++)
      if (claimed[file[number] ?? -1] === 1) {
        numbers[count] = number;
        count += 1;
      }
    return numbers.subarray(0, count);
  }

  /** Made as they are looked at. `numbers` are of `numbers()`. */
  *rowsOf(numbers: ArrayLike<number> & Iterable<number> = this.numbers()): Generator<IndexedRow> {
    for (const number of numbers) yield new IndexedRow(this.#index, number, this.#file(this.#index.file[number] ?? -1));
  }

  /** Ids of the questions that these notes answer. */
  answered(): ReadonlySet<string> {
    const { kind, id, file } = this.#index;
    const ids = new Set<string>();
    for (let number = kind.indexOf(answerKind); number >= 0; number = kind.indexOf(answerKind, number + 1))
      if (this.#claimed[file[number] ?? -1] === 1) ids.add(idText(id[number] ?? 0));
    return ids;
  }

  /** Numbers of the notes on a branch, and whose they are. */
  onBranch(branch: string | null, answered: ReadonlySet<string>): IndexedOnBranch {
    const { kind, id, file, sessions, branch: branches } = this.#index;
    const wanted = this.#index.branches.indexOf(branch);
    const numbers = this.numbers();
    const open: number[] = [];
    const others = new Uint32Array(numbers.length);
    let count = 0;
    const written = new Uint8Array(this.#claimed.length);
    // A plain loop: most of a start is in code that runs once, and there each call costs as much as all the rest of a step.
    for (let at = 0; at < numbers.length; at++) {
      const number = numbers[at] ?? 0;
      const own = kind[number];
      if (branches[number] !== wanted && own !== looseKind) continue;
      written[file[number] ?? 0] = 1;
      if (own === questionKind && !answered.has(idText(id[number] ?? 0))) open.push(number);
      else {
        others[count] = number;
        count += 1;
      }
    }
    const writers = sessions.filter((_, session) =>
      NOTE_KINDS.some((_kind, place) => written[session * NOTE_KINDS.length + place] === 1),
    );
    return { open, others: others.subarray(0, count), writers: writers.map(asSessionKey) };
  }

  /** Text without a heading belongs to every branch. */
  #isOn(branch: string | null): (number: number) => boolean {
    const { kind, branch: branches } = this.#index;
    const wanted = this.#index.branches.indexOf(branch);
    return (number) => branches[number] === wanted || kind[number] === looseKind;
  }

  /** Numbers of the notes that hold every one of `words`, of one branch or, with null, of all. The index was read with its words. */
  holding(words: readonly ByteText[], branch: string | null): readonly number[] {
    // Of a long word there are few.
    const [rarest = "", ...others] = words.toSorted((a, b) => b.length - a.length);
    const { wordsEnd: ends } = this.#index;
    const isOn = branch === null ? () => true : this.#isOn(branch);
    const numbers = this.numbers();
    const found: number[] = [];
    let next = 0;
    let finds = 0;
    const find = (from: number): number => {
      finds += 1;
      // Making characters of all of it costs as much as hundreds of searches in bytes.
      if (finds > findsInBytesMax) this.#text ??= byteText(this.#words);
      return this.#text?.indexOf(rarest, from) ?? this.#words.indexOf(rarest, from, "latin1");
    };
    for (let at = find(0); at >= 0; ) {
      while ((ends[numbers[next] ?? -1] ?? Number.POSITIVE_INFINITY) <= at) next += 1;
      const number = numbers[next];
      if (number === undefined) break;
      const [wordsFrom, wordsEnd] = [ends[number - 1] ?? 0, ends[number] ?? 0];
      let from = wordsFrom;
      if (wordsFrom <= at) {
        const text = others.length === 0 ? "" : this.#wordsAt(wordsFrom, wordsEnd);
        if (others.every((word) => text.includes(word)) && isOn(number)) found.push(number);
        from = wordsEnd;
      }
      at = find(from);
    }
    return found;
  }

  wordsOf({ wordsFrom, wordsEnd }: IndexedRow): ByteText {
    return this.#wordsAt(wordsFrom, wordsEnd);
  }

  /** Without the newline behind them. */
  #wordsAt(from: number, end: number): ByteText {
    return this.#text?.slice(from, end - 1) ?? this.#words.toString("latin1", from, end - 1);
  }
}

/** By so much one time differs, made from nanoseconds in one way or the other. What is indexed was not changed for seconds. */
const roundedMs = 0.001;

const answerKind = ROW_KINDS.indexOf("answer");
const questionKind = ROW_KINDS.indexOf("question");
const looseKind = ROW_KINDS.indexOf("loose");

function idText(id: number): string {
  return id.toString(16).padStart(8, "0");
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
