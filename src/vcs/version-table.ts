// Every state that any path ever had, in the order of the log: a row of numbers each, about 33 bytes, linked to the row
// before it of the same path. What it says of the head follows from the rows.

import { assert } from "../base/assert.ts";
import { HexColumn, U32Column } from "../base/columns.ts";
import { asBlobId, type RepoPath } from "../base/ids.ts";
import type { Entry, Mode } from "./types.ts";

/** In the order of their codes from 1; 0 is a deletion. */
const modes: readonly Mode[] = ["100644", "100755", "120000", "160000"];
const modeBits = 3;
const modeMask = (1 << modeBits) - 1;
const pathsMax = 2 ** (32 - modeBits);

/** As the commit of a row that came with the import. */
export const importedRow = 0xffff_ffff;

/** A row number, or -1 for a path that never was or had nothing yet. */
export type Row = number;

export class VersionTable {
  /** Bytes of one id: 20 or 32, of the repository's object format. */
  readonly idBytes: number;
  readonly #names: RepoPath[] = [];
  readonly #pathIds = new Map<RepoPath, number>();
  /** The newest row of each path. */
  readonly #heads = new U32Column();
  /** Path's number, shifted by the mode's bits, and the mode's code. */
  readonly #states: U32Column = new U32Column();
  readonly #commits: U32Column = new U32Column();
  readonly #blobs: HexColumn;
  /** Row + 1 of the same path's state before; 0 for the first. */
  readonly #older: U32Column = new U32Column();
  /** Files below each directory on the head; 0 for one that had some. */
  readonly #directories = new Map<string, number>();
  #files = 0;
  readonly #noBlob: string;

  constructor(idBytes: number) {
    this.idBytes = idBytes;
    this.#blobs = new HexColumn(idBytes);
    this.#noBlob = "00".repeat(idBytes);
  }

  get rows(): number {
    return this.#states.length;
  }

  get paths(): number {
    return this.#names.length;
  }

  /** Files on the head. */
  get files(): number {
    return this.#files;
  }

  /** Every path that ever was, in the order in which they first appeared. */
  names(): readonly RepoPath[] {
    return this.#names;
  }

  head(path: RepoPath): Row {
    const id = this.#pathIds.get(path);
    if (id === undefined) return -1;
    const row = this.#heads.get(id);
    return row === noRow ? -1 : row;
  }

  /** The row before of the same path. */
  older(row: Row): Row {
    return this.#older.get(row) - 1;
  }

  path(row: Row): RepoPath {
    return this.#names[this.#states.get(row) >>> modeBits]!;
  }

  /** Index of the commit that made the row, or `importedRow`. */
  commit(row: Row): number {
    return this.#commits.get(row);
  }

  isDeleted(row: Row): boolean {
    return (this.#states.get(row) & modeMask) === 0;
  }

  /** Null where the path was deleted. */
  entry(row: Row): Entry | null {
    const mode = modes[(this.#states.get(row) & modeMask) - 1];
    return mode === undefined ? null : { blob: asBlobId(this.#blobs.get(row)), mode };
  }

  /** Whether the row has this entry. */
  holds(row: Row, { blob, mode }: Entry): boolean {
    return modes[(this.#states.get(row) & modeMask) - 1] === mode && this.#blobs.isHex(row, blob);
  }

  hasDirectory(path: string): boolean {
    return (this.#directories.get(path) ?? 0) > 0;
  }

  /** It has no file on the head, and once had one. */
  lostDirectory(path: string): boolean {
    return this.#directories.get(path) === 0;
  }

  add(path: RepoPath, entry: Entry | null, commit: number): void {
    const code = entry === null ? 0 : modes.indexOf(entry.mode) + 1;
    assert(entry === null || code > 0, `${entry?.mode} is a mode`);
    this.#blobs.push(entry === null ? this.#noBlob : entry.blob);
    this.#states.push(((this.#idOf(path) << modeBits) | code) >>> 0);
    this.#commits.push(commit);
    this.#link(this.#states.length - 1);
  }

  /** What was there at the time of the call, for a checkpoint: the columns' parts one after another. */
  *parts(rows: number): Generator<Uint8Array> {
    yield* this.#states.parts(rows);
    yield* this.#commits.parts(rows);
    yield* this.#blobs.parts(rows);
  }

  /** Takes back the names and then the parts of `rows` rows; false if these are none. */
  async load(names: readonly RepoPath[], rows: number, next: () => Promise<Uint8Array | null>): Promise<boolean> {
    for (const name of names) this.#idOf(name);
    for (const column of [this.#states, this.#commits, this.#blobs]) {
      while (column.length < rows) {
        const part = await next();
        if (part === null || !column.pushPart(part)) return false;
      }
      if (column.length !== rows) return false;
    }
    for (let row = 0; row < rows; row += 1) {
      if (this.#states.get(row) >>> modeBits >= names.length) return false;
      this.#link(row);
    }
    return true;
  }

  #idOf(path: RepoPath): number {
    const known = this.#pathIds.get(path);
    if (known !== undefined) return known;
    const id = this.#names.length;
    assert(id < pathsMax, "a store has fewer paths than their numbers have room for");
    this.#names.push(path);
    this.#pathIds.set(path, id);
    this.#heads.push(noRow);
    return id;
  }

  /** Makes the row its path's head. */
  #link(row: number): void {
    const state = this.#states.get(row);
    const id = state >>> modeBits;
    const before = this.#heads.get(id);
    this.#older.push(before === noRow ? 0 : before + 1);
    this.#heads.set(id, row);
    const stood = before !== noRow && !this.isDeleted(before);
    const step = ((state & modeMask) === 0 ? 0 : 1) - (stood ? 1 : 0);
    if (step !== 0) this.#count(this.#names[id]!, step);
  }

  #count(path: RepoPath, step: number): void {
    this.#files += step;
    for (let slash = path.indexOf("/"); slash !== -1; slash = path.indexOf("/", slash + 1)) {
      const directory = path.slice(0, slash);
      this.#directories.set(directory, (this.#directories.get(directory) ?? 0) + step);
    }
  }
}

/** The head of a path whose first row is not linked yet. */
const noRow = 0xffff_ffff;
