// Bytes and their lower-case hex, for a few bytes at a time: a loop here is done sooner than a call out of JavaScript.

import { assert } from "./assert.ts";

/** Writes the bytes and returns where they end. Anything but lower-case hex is a bug of the caller. */
export function writeHex(bytes: Uint8Array, at: number, hex: string): number {
  const length = hex.length / 2;
  let isHex = 0;
  for (let index = 0; index < length; index += 1) {
    const high = values[hex.charCodeAt(2 * index)] ?? 16;
    const low = values[hex.charCodeAt(2 * index + 1)] ?? 16;
    isHex |= high | low;
    bytes[at + index] = (high << 4) | low;
  }
  assert(isHex < 16, "a hash is written in lower-case hex");
  return at + length;
}

/** Whether the bytes from `at` on are those of the hex. */
export function isHexAt(bytes: Uint8Array, at: number, hex: string): boolean {
  for (let index = 0; 2 * index < hex.length; index += 1) {
    const byte = bytes[at + index];
    if (byte === undefined || hex.charCodeAt(2 * index) !== digits[byte >>> 4]) return false;
    if (hex.charCodeAt(2 * index + 1) !== digits[byte & 15]) return false;
  }
  return true;
}

/** Of each digit by its UTF-16 unit; 16 for what is none. */
const values = Uint8Array.from({ length: 128 }, (_, unit) => {
  const value = "0123456789abcdef".indexOf(String.fromCharCode(unit));
  return value === -1 ? 16 : value;
});

/** Of lower-case hex, as UTF-16 units. */
const digits = Array.from("0123456789abcdef", (digit) => digit.charCodeAt(0));
