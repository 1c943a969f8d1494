// Turns a Node stream into bytes that are pulled once. It listens from the start, so nothing is lost before the first pull,
// and it stops reading when a reader lags, so a fast writer is held back.

import { Socket } from "node:net";
import type { Readable } from "node:stream";
import { assert } from "../../base/assert.ts";

/** Read ahead of the consumer at most about this much. */
const aheadBytesMax = 64 * 1024;

export interface ByteSourceOptions {
  /** True: only a waiting reader keeps our process alive, not the open stream. */
  readonly idleUnref: boolean;
}

/** Ends where the stream ends, fails or is destroyed; a consumer that breaks off destroys the stream. */
export function byteSource(stream: Readable, options: ByteSourceOptions): AsyncIterable<Uint8Array> {
  const socket = options.idleUnref && stream instanceof Socket ? stream : null;
  const queue: Uint8Array[] = [];
  let queuedBytes = 0;
  let ended = false;
  let wake: (() => void) | null = null;

  function pull(): void {
    while (queuedBytes < aheadBytesMax && !ended) {
      const chunk: Uint8Array | null = stream.read();
      if (chunk === null) break;
      // A plain Uint8Array, because a Buffer's `slice` and `toString` mean something else.
      queue.push(new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.length));
      queuedBytes += chunk.length;
    }
    if (queue.length > 0) wake?.();
  }
  function end(): void {
    ended = true;
    wake?.();
  }

  socket?.unref();
  stream.on("readable", pull).on("end", end).on("error", end).on("close", end);

  async function next(): Promise<IteratorResult<Uint8Array, undefined>> {
    if (queue.length === 0) pull();
    if (queue.length === 0 && !ended) {
      socket?.ref();
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
      wake = null;
      socket?.unref();
    }
    const chunk = queue.shift();
    if (chunk === undefined) return { done: true, value: undefined };
    queuedBytes -= chunk.length;
    return { done: false, value: chunk };
  }

  return once({
    next,
    async return() {
      stream.destroy();
      queue.length = 0;
      return { done: true, value: undefined };
    },
  });
}

function once(iterator: AsyncIterator<Uint8Array, undefined>): AsyncIterable<Uint8Array> {
  let taken = false;
  return {
    [Symbol.asyncIterator]() {
      assert(!taken, "a byte source is iterated once");
      taken = true;
      return iterator;
    },
  };
}
