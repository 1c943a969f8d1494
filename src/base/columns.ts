// Columns: long lists of numbers and ids as typed arrays, so that a million rows cost their bytes and nothing else.
// They only grow, a page at a time: a row, once written, stays where it is, and views of full pages never move.

import { assert } from "./assert.ts";
import { isHexAt, writeHex } from "./hex.ts";

const pageRowsBits = 10;
/** Rows of one page: what a column takes at least once it has a row. */
export const pageRows = 1 << pageRowsBits;
const rowMask = pageRows - 1;

/** Whole numbers below 2³². */
export class U32Column {
  readonly #pages: Uint32Array[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  get(row: number): number {
    return this.#pages[row >>> pageRowsBits]![row & rowMask]!;
  }

  set(row: number, value: number): void {
    this.#pages[row >>> pageRowsBits]![row & rowMask] = value;
  }

  push(value: number): void {
    if ((this.#length & rowMask) === 0) this.#pages.push(new Uint32Array(pageRows));
    this.set(this.#length, value);
    this.#length += 1;
  }

  /** The first `rows` as bytes, a page a part; views, so that who keeps one copies it. */
  parts(rows: number): Iterable<Uint8Array> {
    return partsOf(this.#pages, rows, 4);
  }

  /** Puts a part behind the rows that are there; false if it is none. Only the last part may be shorter than a page. */
  pushPart(part: Uint8Array): boolean {
    const page = new Uint32Array(pageRows);
    const rows = fill(page, part, this.#length);
    if (rows === null) return false;
    this.#pages.push(page);
    this.#length += rows;
    return true;
  }
}

/** Safe integers and fractions. */
export class F64Column {
  readonly #pages: Float64Array[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  get(row: number): number {
    return this.#pages[row >>> pageRowsBits]![row & rowMask]!;
  }

  push(value: number): void {
    if ((this.#length & rowMask) === 0) this.#pages.push(new Float64Array(pageRows));
    this.#pages[this.#length >>> pageRowsBits]![this.#length & rowMask] = value;
    this.#length += 1;
  }

  parts(rows: number): Iterable<Uint8Array> {
    return partsOf(this.#pages, rows, 8);
  }

  pushPart(part: Uint8Array): boolean {
    const page = new Float64Array(pageRows);
    const rows = fill(page, part, this.#length);
    if (rows === null) return false;
    this.#pages.push(page);
    this.#length += rows;
    return true;
  }
}

/** Rows of a fixed number of bytes: hashes, read and written as lower-case hex. */
export class HexColumn {
  readonly width: number;
  readonly #pages: Buffer[] = [];
  #length = 0;

  constructor(width: number) {
    this.width = width;
  }

  get length(): number {
    return this.#length;
  }

  get(row: number): string {
    const at = (row & rowMask) * this.width;
    return this.#page(row).toString("hex", at, at + this.width);
  }

  /** The row's first four bytes as a number: as even as the hash itself. */
  head(row: number): number {
    return this.#page(row).readUInt32LE((row & rowMask) * this.width);
  }

  /** Whether `get` would give this text, without making it. */
  isHex(row: number, hex: string): boolean {
    return hex.length === 2 * this.width && isHexAt(this.#page(row), (row & rowMask) * this.width, hex);
  }

  push(hex: string): void {
    assert(hex.length === 2 * this.width, "a hash has its column's width");
    const at = this.#grow();
    writeHex(this.#page(this.#length - 1), at, hex);
  }

  parts(rows: number): Iterable<Uint8Array> {
    return partsOf(this.#pages, rows, this.width);
  }

  pushPart(part: Uint8Array): boolean {
    const page = Buffer.alloc(pageRows * this.width);
    if (part.length === 0 || part.length > page.length || part.length % this.width !== 0) return false;
    if ((this.#length & rowMask) !== 0) return false;
    page.set(part);
    this.#pages.push(page);
    this.#length += part.length / this.width;
    return true;
  }

  #page(row: number): Buffer {
    return this.#pages[row >>> pageRowsBits]!;
  }

  #grow(): number {
    if ((this.#length & rowMask) === 0) this.#pages.push(Buffer.alloc(pageRows * this.width));
    this.#length += 1;
    return ((this.#length - 1) & rowMask) * this.width;
  }
}

function* partsOf(
  pages: readonly (Uint32Array | Float64Array | Buffer)[],
  rows: number,
  rowBytes: number,
): Generator<Uint8Array> {
  for (let first = 0; first < rows; first += pageRows) {
    const page = pages[first >>> pageRowsBits]!;
    yield new Uint8Array(page.buffer, page.byteOffset, Math.min(pageRows, rows - first) * rowBytes);
  }
}

/** How many rows the part has; null if it is no part that can follow `length` rows. */
function fill(page: Uint32Array | Float64Array, part: Uint8Array, length: number): number | null {
  const rows = part.length / page.BYTES_PER_ELEMENT;
  if (!Number.isInteger(rows) || rows === 0 || rows > pageRows || (length & rowMask) !== 0) return null;
  new Uint8Array(page.buffer).set(part);
  return rows;
}
