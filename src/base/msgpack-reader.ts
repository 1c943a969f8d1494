// Reads msgpack (github.com/msgpack/msgpack, spec.md) field by field, for who knows what must stand there. Nothing is thrown: what
// is something else, or ends too early, is null, and reading from there on has no meaning.

export class MsgpackReader {
  readonly bytes: Buffer;
  readonly #end: number;
  #at: number;

  /** The values stand in `bytes` from `from` to before `end`. */
  constructor(bytes: Buffer, from: number, end: number) {
    this.bytes = bytes;
    this.#at = from;
    this.#end = end;
  }

  /** Where the next value begins. */
  get at(): number {
    return this.#at;
  }

  /** True past a null that stands here; else nothing is read. */
  takesNull(): boolean {
    if (this.bytes[this.#at] !== 0xc0 || this.#at >= this.#end) return false;
    this.#at += 1;
    return true;
  }

  /** How many values follow. */
  array(): number | null {
    const code = this.#code();
    if (code === null) return null;
    if (code >>> 4 === 0x9) return code & 0xf;
    return code === 0xdc ? this.#uint(2) : code === 0xdd ? this.#uint(4) : null;
  }

  /** A safe integer, from −32 where `negative`. */
  integer(negative = false): number | null {
    const code = this.#code();
    if (code === null) return null;
    if (code < 0x80) return code;
    if (code >= 0xe0) return negative ? code - 0x100 : null;
    switch (code) {
      case 0xcc:
        return this.#uint(1);
      case 0xcd:
        return this.#uint(2);
      case 0xce:
        return this.#uint(4);
      case 0xcb: {
        const start = this.#pass(8);
        const value = start === null ? Number.NaN : this.bytes.readDoubleBE(start);
        return Number.isSafeInteger(value) && value >= 0 ? value : null;
      }
      default:
        return null;
    }
  }

  /** At most `charsMax` UTF-16 units. What is no UTF-8 is no text: two different ones would become the same. */
  text(charsMax: number): string | null {
    const code = this.#code();
    if (code === null) return null;
    const bytes =
      code >>> 5 === 0x5
        ? code & 0x1f
        : code === 0xd9
          ? this.#uint(1)
          : code === 0xda
            ? this.#uint(2)
            : code === 0xdb
              ? this.#uint(4)
              : null;
    // A unit takes at most three bytes: what is longer is not even decoded.
    if (bytes === null || bytes > 3 * charsMax) return null;
    const start = this.#pass(bytes);
    if (start === null) return null;
    const text = this.bytes.toString("utf8", start, start + bytes);
    if (text.length > charsMax) return null;
    const isReplaced = text.includes("\ufffd") && !Buffer.from(text).equals(this.bytes.subarray(start, start + bytes));
    return isReplaced ? null : text;
  }

  /** How many bytes of a binary value stand from `at` on; they are passed over. */
  binary(): { readonly start: number; readonly length: number } | null {
    const code = this.#code();
    const length = code === 0xc4 ? this.#uint(1) : code === 0xc5 ? this.#uint(2) : code === 0xc6 ? this.#uint(4) : null;
    const start = length === null ? null : this.#pass(length);
    return start === null || length === null ? null : { start, length };
  }

  #code(): number | null {
    const start = this.#pass(1);
    return start === null ? null : (this.bytes[start] ?? null);
  }

  #uint(length: 1 | 2 | 4): number | null {
    const start = this.#pass(length);
    if (start === null) return null;
    let value = 0;
    for (let index = 0; index < length; index += 1) value = value * 256 + this.bytes[start + index]!;
    return value;
  }

  /** Where so many bytes begin; null where there are fewer. */
  #pass(length: number): number | null {
    const start = this.#at;
    if (length > this.#end - start) return null;
    this.#at = start + length;
    return start;
  }
}
