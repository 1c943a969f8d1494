// Text as lines: splits bytes so that the lines, joined, are the bytes again, and numbers lines so that equal bytes are equal numbers.

/** Byte offsets of the lines' ends, in order; line `i` runs from the end of line `i - 1` (or 0). */
export interface Lines {
  readonly bytes: Uint8Array;
  readonly ends: readonly number[];
}

const LF = 0x0a;
/** Where git looks for a NUL byte: `FIRST_FEW_BYTES` of its xdiff-interface.c. */
const binaryProbeBytes = 8000;

/** Binary as git decides it for merging: a NUL byte among the first 8000 bytes. */
export function isBinary(bytes: Uint8Array): boolean {
  return bytes.subarray(0, binaryProbeBytes).includes(0);
}

/**
 * Lines end after each LF and keep it, so CRLF stays with its line; a bare CR is a byte like any other, as in git.
 * Null when there are more than `linesMax`.
 */
export function splitLines(bytes: Uint8Array, linesMax: number): Lines | null {
  const ends: number[] = [];
  for (let start = 0; start < bytes.length; ) {
    if (ends.length === linesMax) return null;
    const at = bytes.indexOf(LF, start);
    start = at === -1 ? bytes.length : at + 1;
    ends.push(start);
  }
  return { bytes, ends };
}

/** The bytes of the lines from `from` up to but not including `to`. */
export function lineBytes(lines: Lines, from: number, to: number): Uint8Array {
  return lines.bytes.subarray(lineStart(lines, from), lineStart(lines, to));
}

/** Numbers the lines of several texts: two lines have one number exactly when their bytes are equal. */
export function numberLines(texts: readonly Lines[]): Int32Array[] {
  return numberTokens(
    texts.map(({ bytes, ends }) => {
      const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
      return ends.map((end, line) => all.slice(line === 0 ? 0 : ends[line - 1]!, end));
    }),
  );
}

/** Numbers tokens of several sequences: two tokens have one number exactly when they are equal. */
export function numberTokens(sequences: readonly (readonly string[])[]): Int32Array[] {
  const numbers = new Map<string, number>();
  return sequences.map((tokens) =>
    Int32Array.from(tokens, (token) => {
      const known = numbers.get(token);
      if (known !== undefined) return known;
      numbers.set(token, numbers.size);
      return numbers.size - 1;
    }),
  );
}

function lineStart({ ends }: Lines, line: number): number {
  return line === 0 ? 0 : ends[line - 1]!;
}
