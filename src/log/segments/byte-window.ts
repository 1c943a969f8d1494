// A moving window over one file: the bytes read last, so that a file is walked in bounded chunks with one read each.

import { ok } from "../../base/result.ts";
import type { FileHandle, FileResult } from "../../host/files.ts";

export class ByteWindow {
  readonly #handle: FileHandle;
  readonly #chunkBytes: number;
  #end: number;
  #start = 0;
  #bytes: Buffer = Buffer.alloc(0);

  /** `end`: what lies beyond it is not looked at, though the file may be longer. */
  constructor(handle: FileHandle, end: number, chunkBytes: number) {
    this.#handle = handle;
    this.#end = end;
    this.#chunkBytes = chunkBytes;
  }

  /** Moves down when the file turns out to be shorter. */
  get end(): number {
    return this.#end;
  }

  /** The bytes if the window covers them. Views stay valid when the window moves on. */
  peek(offset: number, length: number): Buffer | null {
    const from = offset - this.#start;
    if (from < 0 || from + length > this.#bytes.length) return null;
    return this.#bytes.subarray(from, from + length);
  }

  /** Moves the window to `offset`, with at least `length` bytes where the file has them. */
  async load(offset: number, length: number): FileResult<Buffer> {
    const wanted = Math.max(0, Math.min(Math.max(length, this.#chunkBytes), this.#end - offset));
    const read = await this.#handle.read(offset, wanted);
    if (!read.ok) return read;
    const { buffer, byteOffset, byteLength } = read.value;
    this.#start = offset;
    this.#bytes = Buffer.from(buffer, byteOffset, byteLength);
    if (byteLength < wanted) this.#end = offset + byteLength;
    return ok(this.#bytes);
  }
}
