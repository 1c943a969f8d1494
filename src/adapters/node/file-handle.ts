// One open file. Appends, flushes and truncations run one after another in call order, so a flush covers every append called before it.

import type { FileHandle as NodeHandle } from "node:fs/promises";
import type { FileHandle } from "../../host/files.ts";
import { attempt } from "./errors.ts";

/** How an append gets to the disk: not by itself, as part of the write (one wait for a thread instead of two), or by a call after it. */
export type DurableAppends = "not" | "by-flag" | "by-call";

export function nodeFileHandle(path: string, handle: NodeHandle, durable: DurableAppends): FileHandle {
  let last: Promise<unknown> = Promise.resolve();

  function inOrder<T>(work: () => Promise<T>): ReturnType<typeof attempt<T>> {
    const result = last.then(() => attempt(path, work));
    last = result.catch(() => undefined);
    return result;
  }

  return {
    read: (offset, length) => attempt(path, () => readAt(handle, offset, length)),
    append: (chunks) =>
      inOrder(async () => {
        await appendAll(handle, chunks);
        if (durable === "by-call") await handle.datasync();
      }),
    sync: () => inOrder(() => handle.datasync()),
    truncate: (size) => inOrder(() => handle.truncate(size)),
    size: () => attempt(path, async () => (await handle.stat()).size),
    close: () => inOrder(() => handle.close()),
  };
}

async function readAt(handle: NodeHandle, offset: number, length: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await handle.read(bytes, filled, length - filled, offset + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}

async function appendAll(handle: NodeHandle, chunks: readonly Uint8Array[]): Promise<void> {
  let rest = chunks.filter((chunk) => chunk.length > 0);
  while (rest.length > 0) {
    const { bytesWritten } = await handle.writev(rest);
    // A short write is what a full disk or a signal leaves; writing the rest brings the error, if there is one.
    rest = without(rest, bytesWritten);
  }
}

function without(chunks: readonly Uint8Array[], count: number): Uint8Array[] {
  let left = count;
  const rest: Uint8Array[] = [];
  for (const chunk of chunks) {
    if (left >= chunk.length) left -= chunk.length;
    else {
      rest.push(chunk.subarray(left));
      left = 0;
    }
  }
  return rest;
}
