// Segments open for reading: each opened once, when first read, and no more than a few at a time.
// A handle in use is never closed under its user.

import { assert } from "../../base/assert.ts";
import { ok } from "../../base/result.ts";
import type { FileHandle, FileResult, Files } from "../../host/files.ts";

interface Slot {
  readonly path: string;
  readonly opening: FileResult<FileHandle>;
  users: number;
}

export class HandlePool {
  readonly #files: Files;
  readonly #handlesMax: number;
  /** In the order of last use. */
  readonly #slots = new Map<string, Slot>();
  /** Out of use, but still read from. */
  readonly #dropped = new Map<string, Slot>();
  #closed = false;

  constructor(files: Files, handlesMax: number) {
    this.#files = files;
    this.#handlesMax = handlesMax;
  }

  /** Reading from a closed log is a bug. */
  async acquire(path: string): FileResult<FileHandle> {
    assert(!this.#closed, "the log is open");
    const slot = this.#slots.get(path) ?? { path, opening: this.#files.open(path, "read"), users: 0 };
    slot.users += 1;
    this.#slots.delete(path);
    this.#slots.set(path, slot);
    const opened = await slot.opening;
    if (!opened.ok && this.#slots.get(path) === slot) this.#slots.delete(path);
    return opened;
  }

  release(path: string): void {
    const dropped = this.#dropped.get(path);
    if (dropped !== undefined) {
      dropped.users -= 1;
      if (dropped.users > 0) return;
      this.#dropped.delete(path);
      void closeSlot(dropped);
      return;
    }
    const slot = this.#slots.get(path);
    if (slot === undefined) return;
    slot.users -= 1;
    if (this.#closed) this.#closeIdle(0);
    else this.#closeIdle(this.#handlesMax);
  }

  /** The path is of no use any more: closed at once, or when its last user lets go. */
  drop(path: string): void {
    const slot = this.#slots.get(path);
    if (slot === undefined) return;
    this.#slots.delete(path);
    if (slot.users === 0) void closeSlot(slot);
    else this.#dropped.set(path, slot);
  }

  /** One read; fewer bytes than `length` only where the file ends. */
  async read(path: string, offset: number, length: number): FileResult<Uint8Array> {
    const handle = await this.acquire(path);
    if (!handle.ok) return handle;
    const bytes = await handle.value.read(offset, length);
    this.release(path);
    return bytes.ok ? ok(bytes.value) : bytes;
  }

  /** Handles in use are closed when they are released. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#closeIdle(0));
  }

  #closeIdle(keep: number): readonly Promise<void>[] {
    const closing: Promise<void>[] = [];
    for (const slot of this.#slots.values()) {
      if (this.#slots.size <= keep) break;
      if (slot.users > 0) continue;
      this.#slots.delete(slot.path);
      closing.push(closeSlot(slot));
    }
    return closing;
  }
}

async function closeSlot(slot: Slot): Promise<void> {
  const opened = await slot.opening;
  if (opened.ok) await opened.value.close();
}
