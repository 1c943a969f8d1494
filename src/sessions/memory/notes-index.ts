// The notes that an index has of files that are as they were: as rows, and by the words they hold. Invariant: of a file that was not claimed
// with the size and change time that it has now, nothing is answered.

import { assert } from "../../base/assert.ts";
import { asSessionKey, type SessionKey } from "../presence/ids.ts";
import type { NoteIndex, ReadIndex } from "./index-file.ts";
import { NOTE_KINDS, type NoteKind } from "./note.ts";
import { type FreshRow, type NoteRow, type NotesFile, ROW_KINDS, type RowKind } from "./note-row.ts";
import { firstAbove, narrowest } from "./packed-columns.ts";

/** Its fields are looked up when they are asked for: of twenty thousand rows most are only counted. */
export class IndexedRow implements NoteRow {
  readonly #index: NoteIndex;
  /** Its place among the index's notes. */
  readonly number: number;
  readonly file: NotesFile;

  constructor(index: NoteIndex, number: number, file: NotesFile) {
    this.#index = index;
    this.number = number;
    this.file = file;
  }

  get at(): number {
    return this.#index.at[this.number] ?? 0;
  }

  get branch(): string | null {
    return this.#index.branches[this.#index.branch[this.number] ?? -1] ?? null;
  }

  get kind(): RowKind {
    return ROW_KINDS[this.#index.kind[this.number] ?? 0] ?? "plain";
  }

  get id(): string {
    const { kind } = this;
    if (kind !== "question" && kind !== "answer") return "";
    // `marked` rises.
    return idText(this.#index.ids[firstAbove(this.#index.marked, this.number - 1)] ?? 0);
  }

  get start(): number {
    return this.#index.start[this.number] ?? 0;
  }

  get end(): number {
    return this.start + (this.#index.length[this.number] ?? 0);
  }
}

/** Numbers of notes, newest first. */
export interface SomeNumbers {
  readonly count: number;
  readonly numbers: Iterable<number>;
}

interface IndexedOnBranch {
  /** Questions that nobody has answered. */
  readonly open: SomeNumbers;
  readonly others: SomeNumbers;
  readonly writers: readonly SessionKey[];
}

export type PathOf = (key: SessionKey, kind: NoteKind) => string;

export class IndexedNotes {
  readonly #index: NoteIndex;
  /** By the note's number, 1 where it holds all words that were asked for. */
  readonly #holding: Uint8Array | null;
  #sessions: ReadonlyMap<string, number> | null = null;
  readonly #pathOf: PathOf;
  /** By the file's number: 1 where the file is as it was. */
  readonly #claimed: Uint8Array;
  readonly #files = new Map<number, NotesFile>();
  #count: number | null = null;

  constructor({ index, holding }: ReadIndex, pathOf: PathOf) {
    this.#index = index;
    this.#holding = holding;
    this.#pathOf = pathOf;
    this.#claimed = new Uint8Array(index.sizes.length);
  }

  /** How many notes the index has, whatever has become of their files. */
  get length(): number {
    return this.#index.file.length;
  }

  /** The number of each session's first file, or -1 for one that the index does not have. `keys` rise, as the index's own do. */
  firstFiles(keys: readonly SessionKey[]): Int32Array {
    const { sessions } = this.#index;
    const first = new Int32Array(keys.length).fill(-1);
    let session = 0;
    for (let at = 0; at < keys.length; at++) {
      const key = keys[at] ?? "";
      while (session < sessions.length && (sessions[session] ?? "") < key) session += 1;
      if (sessions[session] === key) first[at] = session * NOTE_KINDS.length;
    }
    return first;
  }

  #firstFile(key: SessionKey): number | null {
    this.#sessions ??= new Map(this.#index.sessions.map((own, number) => [own, number]));
    const session = this.#sessions.get(key);
    return session === undefined ? null : session * NOTE_KINDS.length;
  }

  /** Whether the index has this file as it is: one of the three from a session's first on. Before any notes are asked for. */
  claim(file: number, size: number, changedMs: number): boolean {
    if (this.#index.sizes[file] !== size) return false;
    const laterMs = Math.abs((this.#index.changed[file] ?? -1) - changedMs);
    if (!(laterMs < roundedMs)) return false;
    this.#index.changed[file] = changedMs;
    this.#claimed[file] = 1;
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
    const first = this.#firstFile(key);
    return first === null ? null : Math.max(...this.#index.changed.subarray(first, first + NOTE_KINDS.length));
  }

  /** Claims what the index has of this session, seen or not: to be kept, not to be shown. */
  claimUnseen(key: SessionKey): void {
    const first = this.#firstFile(key);
    if (first === null) return;
    for (const place of NOTE_KINDS.keys())
      if ((this.#index.sizes[first + place] ?? -1) >= 0) this.#claimed[first + place] = 1;
  }

  /** Notes in claimed files. */
  get count(): number {
    return (this.#count ??= this.#counted());
  }

  #counted(): number {
    const { file, count } = this.#index.groups;
    let sum = 0;
    for (let group = 0; group < file.length; group++)
      if (this.#claimed[file[group] ?? 0] === 1) sum += count[group] ?? 0;
    return sum;
  }

  /** Of the notes in claimed files. */
  numbers(): SomeNumbers {
    const { file } = this.#index;
    const claimed = this.#claimed;
    return { count: this.count, numbers: picked(file.length, (number) => claimed[file[number] ?? 0] === 1) };
  }

  /** Made as they are looked at. */
  *rowsOf({ numbers }: SomeNumbers = this.numbers()): Generator<IndexedRow> {
    for (const number of numbers) yield new IndexedRow(this.#index, number, this.#file(this.#index.file[number] ?? 0));
  }

  /** Ids of the questions that these notes answer. */
  answered(): ReadonlySet<string> {
    return new Set(this.#marked("answer").map(({ id }) => id));
  }

  #marked(wanted: RowKind): readonly { readonly number: number; readonly id: string }[] {
    const { marked, ids, kind, file } = this.#index;
    const own = ROW_KINDS.indexOf(wanted);
    const found: { readonly number: number; readonly id: string }[] = [];
    for (const [at, number] of marked.entries())
      if (kind[number] === own && this.#claimed[file[number] ?? 0] === 1)
        found.push({ number, id: idText(ids[at] ?? 0) });
    return found;
  }

  /** Numbers of the notes on a branch, and whose they are. */
  onBranch(branch: string | null, answered: ReadonlySet<string>): IndexedOnBranch {
    const { file, sessions, branch: branches, groups } = this.#index;
    const claimed = this.#claimed;
    const wanted = this.#index.branches.indexOf(branch);
    const loose = this.#index.branches.length;
    const written = new Uint8Array(claimed.length);
    let count = 0;
    // Plain loops: most of a start is in code that runs once, and there each call costs as much as all the rest of a step.
    for (let group = 0; group < groups.file.length; group++) {
      const own = groups.file[group] ?? 0;
      if (claimed[own] !== 1 || (groups.branch[group] !== wanted && groups.branch[group] !== loose)) continue;
      written[own] = 1;
      count += groups.count[group] ?? 0;
    }
    const questions = this.#marked("question").filter(({ number }) => branches[number] === wanted);
    const open = new Set(questions.filter(({ id }) => !answered.has(id)).map(({ number }) => number));
    const isOther = (number: number): boolean =>
      claimed[file[number] ?? 0] === 1 &&
      (branches[number] === wanted || branches[number] === loose) &&
      !open.has(number);
    const writers: SessionKey[] = [];
    for (let own = 0; own < written.length; own++) {
      if (written[own] !== 1) continue;
      const session = Math.trunc(own / NOTE_KINDS.length);
      writers.push(asSessionKey(sessions[session] ?? ""));
      // The other files are the same session's.
      own = (session + 1) * NOTE_KINDS.length - 1;
    }
    return {
      open: { count: open.size, numbers: open },
      others: { count: count - open.size, numbers: picked(file.length, isOther) },
      writers,
    };
  }

  /** Of the notes that hold every word that was asked for, of one branch or, with null, of all. */
  holding(branch: string | null): SomeNumbers {
    const { file, branch: branches } = this.#index;
    const [claimed, holding] = [this.#claimed, this.#holding];
    if (holding === null) return { count: 0, numbers: [] };
    const wanted = this.#index.branches.indexOf(branch);
    const loose = this.#index.branches.length;
    const isWanted = (number: number): boolean =>
      claimed[file[number] ?? 0] === 1 &&
      (branch === null || branches[number] === wanted || branches[number] === loose);
    let count = 0;
    for (let number = 0; number < holding.length; number++) if (holding[number] === 1 && isWanted(number)) count += 1;
    return { count, numbers: picked(holding.length, (number) => holding[number] === 1 && isWanted(number)) };
  }
}

/** As many as are looked at. */
function* picked(end: number, isWanted: (number: number) => boolean): Generator<number> {
  for (let number = 0; number < end; number++) if (isWanted(number)) yield number;
}

/** By so much one time differs, made from nanoseconds in one way or the other. What is indexed was not changed for seconds. */
const roundedMs = 0.001;

function idText(id: number): string {
  return id.toString(16).padStart(8, "0");
}

/** An index of these files and rows, which are newest first. */
export function indexOf(files: readonly NotesFile[], rows: readonly (IndexedRow | FreshRow)[]): NoteIndex {
  const sessions = [...new Set(files.map(({ key }) => key))].sort();
  const branches = [...new Set(rows.filter(({ kind }) => kind !== "loose").map(({ branch }) => branch))];
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
  const fileNumbers = new Map(files.map((file) => [file, numberOf(file)]));
  const fileOf = rows.map(({ file }) => {
    const number = fileNumbers.get(file);
    assert(number !== undefined, "a row's file is one of the index's");
    return number;
  });
  const branchOf = rows.map(({ kind, branch }) =>
    kind === "loose" ? branches.length : (branchNumbers.get(branch) ?? branches.length),
  );
  const marked = [...rows.keys()].filter((number) => (rows[number]?.id ?? "") !== "");
  return {
    sessions,
    branches,
    sizes,
    changed,
    at: Float64Array.from(rows, ({ at }) => at),
    file: narrowest(fileOf),
    branch: narrowest(branchOf),
    kind: narrowest(rows.map(({ kind }) => ROW_KINDS.indexOf(kind))),
    start: narrowest(rows.map(({ start }) => start)),
    length: narrowest(rows.map(({ start, end }) => end - start)),
    marked: narrowest(marked),
    ids: narrowest(marked.map((number) => Number.parseInt(rows[number]?.id ?? "", 16))),
    groups: groupsOf(fileOf, branchOf, branches.length + 1),
  };
}

function groupsOf(files: readonly number[], branches: readonly number[], branchCount: number): NoteIndex["groups"] {
  const counts = new Map<number, number>();
  for (const [note, file] of files.entries()) {
    const group = file * branchCount + (branches[note] ?? 0);
    counts.set(group, (counts.get(group) ?? 0) + 1);
  }
  const groups = [...counts.keys()];
  return {
    file: narrowest(groups.map((group) => Math.trunc(group / branchCount))),
    branch: narrowest(groups.map((group) => group % branchCount)),
    count: narrowest([...counts.values()]),
  };
}
