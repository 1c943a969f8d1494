// Cuts a stream of bytes into lines. Invariant: no more than the limit is ever kept of one line; what is beyond it is passed over up to the
// line's end, and told once.

export type Line = { readonly kind: "line"; readonly text: string } | { readonly kind: "too-long" };

const newline = 0x0a;

export class Lines {
  readonly #bytesMax: number;
  #parts: Uint8Array[] = [];
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** The lines that end in this chunk. What has no end yet is kept. */
  push(chunk: Uint8Array): readonly Line[] {
    const lines: Line[] = [];
    let from = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, from)) {
      this.#keep(chunk.subarray(from, end));
      lines.push(this.#take());
      from = end + 1;
    }
    this.#keep(chunk.subarray(from));
    return lines;
  }

  #keep(part: Uint8Array): void {
    this.#bytes += part.length;
    if (this.#bytes > this.#bytesMax) this.#parts = [];
    else if (part.length > 0) this.#parts.push(part);
  }

  #take(): Line {
    const line: Line =
      this.#bytes > this.#bytesMax
        ? { kind: "too-long" }
        : { kind: "line", text: Buffer.concat(this.#parts).toString("utf8") };
    this.#parts = [];
    this.#bytes = 0;
    return line;
  }
}
