// Writes msgpack (github.com/msgpack/msgpack, spec.md) for the few shapes that are written ten thousand times a second: a caller that
// knows its fields needs no look at what they are. Only what records hold: maps, arrays, texts, whole numbers, null.

import { assert } from "./assert.ts";

/** Bytes that a text takes at most: three for each UTF-16 unit, and its head. */
export const textBytesMax = (text: string): number => 3 * text.length + 5;
/** Bytes of a number, or of the head of a map or an array, at most. */
export const headBytesMax = 9;

/** Shorter texts are copied unit by unit, which is quicker than a call out of JavaScript. */
const shortUnitsMax = 64;
const u32Max = 0xffff_ffff;

export class MsgpackWriter {
  readonly bytes: Buffer;
  #at: number;

  /** Begins at `from`. Whoever writes more than `bytes` has room for fails an assertion. */
  constructor(bytes: Buffer, from = 0) {
    this.bytes = bytes;
    this.#at = from;
  }

  /** Of `bytes`, so far used. */
  get length(): number {
    return this.#at;
  }

  /** Pieces of msgpack that are the same each time. */
  raw(piece: Uint8Array): void {
    assert(this.#at + piece.length <= this.bytes.length, "there is room for what is written");
    for (let index = 0; index < piece.length; index += 1) this.bytes[this.#at + index] = piece[index]!;
    this.#at += piece.length;
  }

  null(): void {
    this.bytes[this.#at] = 0xc0;
    this.#at += 1;
  }

  array(length: number): void {
    if (length < 16) this.bytes[this.#at++] = 0x90 | length;
    else if (length <= 0xffff) this.#head(0xdc, length, 2);
    else this.#head(0xdd, length, 4);
  }

  /** A safe integer from 0. */
  natural(value: number): void {
    if (value < 128) this.bytes[this.#at++] = value;
    else if (value <= 0xff) this.#head(0xcc, value, 1);
    else if (value <= 0xffff) this.#head(0xcd, value, 2);
    else if (value <= u32Max) this.#head(0xce, value, 4);
    else {
      this.bytes[this.#at] = 0xcb;
      this.#at = this.bytes.writeDoubleBE(value, this.#at + 1);
    }
  }

  /** Well-formed Unicode. */
  text(text: string): void {
    if (text.length > shortUnitsMax || !this.#shortAscii(text)) this.#longText(text);
  }

  /** False, and nothing written, for what is not ASCII. */
  #shortAscii(text: string): boolean {
    const { bytes } = this;
    const { length } = text;
    const start = this.#at + (length < 32 ? 1 : 2);
    for (let index = 0; index < length; index += 1) {
      const unit = text.charCodeAt(index);
      if (unit > 0x7f) return false;
      bytes[start + index] = unit;
    }
    if (length < 32) bytes[this.#at] = 0xa0 | length;
    else {
      bytes[this.#at] = 0xd9;
      bytes[this.#at + 1] = length;
    }
    this.#at = start + length;
    assert(this.#at <= bytes.length, "there is room for what is written");
    return true;
  }

  #longText(text: string): void {
    const length = Buffer.byteLength(text);
    if (length < 32) this.bytes[this.#at++] = 0xa0 | length;
    else if (length <= 0xff) this.#head(0xd9, length, 1);
    else if (length <= 0xffff) this.#head(0xda, length, 2);
    else this.#head(0xdb, length, 4);
    const written = this.bytes.write(text, this.#at, "utf8");
    assert(written === length, "there is room for what is written");
    this.#at += length;
  }

  #head(code: number, value: number, valueBytes: 1 | 2 | 4): void {
    this.bytes[this.#at] = code;
    this.#at = this.bytes.writeUIntBE(value, this.#at + 1, valueBytes);
  }
}
