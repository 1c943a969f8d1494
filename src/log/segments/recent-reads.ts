// Small contents that were read not long ago, the least recently used going first: a file that many change is read again and again,
// by those who change it and by merges. Whoever asks has looked the content up before: what the log has no more is not asked for.

import type { BlobId } from "../../base/ids.ts";

/** Larger contents are read from the disk each time. */
const smallBytesMax = 64 * 1024;

export class RecentReads {
  /** In the order of last use. */
  readonly #kept = new Map<BlobId, Uint8Array>();
  readonly #bytesMax: number;
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** A copy, whose bytes were those of the id when they were read. */
  get(id: BlobId): Uint8Array | null {
    const kept = this.#kept.get(id);
    if (kept === undefined) return null;
    this.#kept.delete(id);
    this.#kept.set(id, kept);
    return new Uint8Array(kept);
  }

  /** Keeps a copy of bytes that were checked against the id. */
  add(id: BlobId, bytes: Uint8Array): void {
    if (bytes.byteLength > Math.min(smallBytesMax, this.#bytesMax) || this.#kept.has(id)) return;
    this.#kept.set(id, new Uint8Array(bytes));
    this.#bytes += bytes.byteLength;
    for (const [oldest, old] of this.#kept) {
      if (this.#bytes <= this.#bytesMax) return;
      this.#kept.delete(oldest);
      this.#bytes -= old.byteLength;
    }
  }
}
