// Columns of numbers as bytes in a file, each in the smallest width that has room for all its values: what is read at each start is memory that
// the system has to give each time, and that costs more than to compute with it.

export type Whole = Uint8Array | Uint16Array | Uint32Array;

/** Bytes of one value, and how many there are. Eight bytes are a fraction, less a whole number. */
export type ColumnForm = readonly [width: number, length: number];

export interface PackedColumns {
  readonly forms: readonly ColumnForm[];
  readonly bytes: Buffer;
}

/** Whole numbers from 0 to 2³² - 1. */
export function narrowest(values: ArrayLike<number>): Whole {
  let max = 0;
  for (let at = 0; at < values.length; at++) max = Math.max(max, values[at] ?? 0);
  if (max < 2 ** 8) return Uint8Array.from(values);
  return max < 2 ** 16 ? Uint16Array.from(values) : Uint32Array.from(values);
}

/** The place of the first number that is greater. They rise. */
export function firstAbove(numbers: ArrayLike<number>, value: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((numbers[middle] ?? 0) > value) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Each begins at a multiple of eight bytes. */
export function packed(columns: readonly (Whole | Float64Array)[]): PackedColumns {
  const parts = columns.flatMap(({ buffer, byteOffset, byteLength }) => [
    Buffer.from(buffer, byteOffset, byteLength),
    Buffer.alloc(-byteLength & (WIDE - 1)),
  ]);
  return {
    forms: columns.map(({ BYTES_PER_ELEMENT, length }): ColumnForm => [BYTES_PER_ELEMENT, length]),
    bytes: Buffer.concat(parts),
  };
}

/** What `packed` made, as views of `bytes`, which must begin at a multiple of eight in their buffer and be long enough. */
export class ColumnReader {
  readonly #forms: readonly ColumnForm[];
  readonly #bytes: Uint8Array;
  #next = 0;
  #from = 0;

  constructor(forms: readonly ColumnForm[], bytes: Uint8Array) {
    this.#forms = forms;
    this.#bytes = bytes;
  }

  whole(): Whole {
    const [width, length] = this.#form();
    const { buffer } = this.#bytes;
    const from = this.#take(width * length);
    if (width === 1) return new Uint8Array(buffer, from, length);
    return width === 2 ? new Uint16Array(buffer, from, length) : new Uint32Array(buffer, from, length);
  }

  wide(): Float64Array {
    const [, length] = this.#form();
    return new Float64Array(this.#bytes.buffer, this.#take(WIDE * length), length);
  }

  #form(): ColumnForm {
    const form = this.#forms[this.#next];
    this.#next += 1;
    if (form === undefined) throw new RangeError("there is no such column");
    return form;
  }

  #take(bytes: number): number {
    const from = this.#from;
    this.#from += (bytes + WIDE - 1) & -WIDE;
    if (this.#from > this.#bytes.length) throw new RangeError("a column ends beyond its bytes");
    return this.#bytes.byteOffset + from;
  }
}

const WIDE = Float64Array.BYTES_PER_ELEMENT;
