// Reads that follow one another down a file, as an export's do, are served from one larger read. Others go to the file one by one.

import { ok } from "../../base/result.ts";
import type { FileResult } from "../../host/files.ts";
import type { HandlePool } from "./handle-pool.ts";

const windowBytesMax = 256 * 1024;
/** Between two contents lie their headers and the records of their commits. */
const gapBytesMax = 8 * 1024;
/** So many in a row are no chance: what is read ahead is then wanted. */
const rowMin = 4;

interface Window {
  readonly path: string;
  readonly from: number;
  readonly to: number;
  readonly bytes: FileResult<Uint8Array>;
}

export class ReadAhead {
  readonly #pool: Pick<HandlePool, "read">;
  readonly #windowBytes: number;
  #window: Window | null = null;
  #path = "";
  #next = 0;
  #row = 0;

  /** `chunkBytes`: what is read at once at the most. */
  constructor(pool: Pick<HandlePool, "read">, chunkBytes: number) {
    this.#pool = pool;
    this.#windowBytes = Math.min(windowBytesMax, chunkBytes);
  }

  /** As the pool's `read`. Nothing from `end` on is read ahead: it may still be written. */
  async read(path: string, offset: number, length: number, end: number): FileResult<Uint8Array> {
    const follows = path === this.#path && offset >= this.#next && offset <= this.#next + gapBytesMax;
    this.#row = follows ? this.#row + 1 : 0;
    [this.#path, this.#next] = [path, offset + length];
    const known = this.#window;
    const isIn = known !== null && known.path === path && offset >= known.from && offset + length <= known.to;
    if (!isIn && (this.#row < rowMin || length > this.#windowBytes / 4)) return this.#pool.read(path, offset, length);
    const window = isIn
      ? known
      : this.#load(path, offset, Math.max(offset + length, Math.min(end, offset + this.#windowBytes)));
    const read = await window.bytes;
    const from = offset - window.from;
    if (read.ok && from + length <= read.value.byteLength)
      return ok(new Uint8Array(read.value.subarray(from, from + length)));
    // A file that fails or is shorter than it should be says so itself.
    if (this.#window === window) this.#window = null;
    return this.#pool.read(path, offset, length);
  }

  #load(path: string, from: number, to: number): Window {
    this.#window = { path, from, to, bytes: this.#pool.read(path, from, to - from) };
    return this.#window;
  }
}
