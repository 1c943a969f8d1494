// A bounded byte queue between one writer and one reader: the pipe of a simulated process, or one direction of a connection.
// A write resolves when the buffer took all of it, and is false once the reader is gone.

import { assert } from "../../base/assert.ts";

/** As a Linux pipe's default. */
const pipeBytesMax = 64 * 1024;

interface PendingWrite {
  rest: Uint8Array;
  readonly resolve: (taken: boolean) => void;
}

export class Pipe {
  readonly bytes: AsyncIterable<Uint8Array>;
  private readonly buffer: Uint8Array[] = [];
  private readonly writes: PendingWrite[] = [];
  private buffered = 0;
  private ended = false;
  private broken = false;
  private wakeReader: (() => void) | null = null;

  constructor() {
    let taken = false;
    this.bytes = {
      [Symbol.asyncIterator]: () => {
        assert(!taken, "a byte source is iterated once");
        taken = true;
        return { next: () => this.next(), return: () => this.cancel() };
      },
    };
  }

  /** Copies the bytes at once, so that the writer may reuse its memory. */
  write(bytes: Uint8Array): Promise<boolean> {
    if (this.broken || this.ended) return Promise.resolve(false);
    return new Promise((resolve) => {
      this.writes.push({ rest: bytes.slice(), resolve });
      this.fill();
    });
  }

  /** The reader sees the end after what was written. */
  end(): void {
    this.ended = true;
    this.wakeReader?.();
  }

  /** The reader is gone, or everything is: what is buffered is dropped, waiting writes are false. */
  break(): void {
    this.broken = true;
    this.ended = true;
    this.buffer.length = 0;
    this.buffered = 0;
    for (const write of this.writes.splice(0)) write.resolve(false);
    this.wakeReader?.();
  }

  private fill(): void {
    while (this.buffered < pipeBytesMax) {
      const write = this.writes[0];
      if (write === undefined) break;
      const part = write.rest.subarray(0, pipeBytesMax - this.buffered);
      if (part.length > 0) this.buffer.push(part);
      this.buffered += part.length;
      write.rest = write.rest.subarray(part.length);
      if (write.rest.length > 0) break;
      this.writes.shift();
      write.resolve(true);
    }
    if (this.buffer.length > 0) this.wakeReader?.();
  }

  private async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    while (this.buffer.length === 0 && !(this.ended && this.writes.length === 0)) {
      await new Promise<void>((resolve) => {
        this.wakeReader = resolve;
      });
      this.wakeReader = null;
    }
    const chunk = this.buffer.shift();
    if (chunk === undefined) return { done: true, value: undefined };
    this.buffered -= chunk.length;
    this.fill();
    return { done: false, value: chunk };
  }

  private async cancel(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.break();
    return { done: true, value: undefined };
  }
}
