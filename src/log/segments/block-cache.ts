// The blocks of sealed blobs that were read last, decompressed: neighbours are often read together.

import { ok, type Result } from "../../base/result.ts";
import type { HandlePool } from "./handle-pool.ts";
import type { Block } from "./sealed-blobs.ts";
import { blockAt, readBlock, readOpenDirectory, type SealedProblem } from "./sealed-file.ts";

const blocksMax = 16;
/** A larger block is one large blob, which nobody else shares. */
const cachedBytesMax = 1024 * 1024;

export interface SealedFile {
  readonly path: string;
  readonly segment: number;
  readonly edition: number;
}

export class BlockCache {
  readonly #pool: HandlePool;
  readonly #logId: string;
  readonly #directories = new Map<string, readonly Block[]>();
  /** In the order of last use. */
  readonly #blocks = new Map<string, Buffer>();

  constructor(pool: HandlePool, logId: string) {
    this.#pool = pool;
    this.#logId = logId;
  }

  /** The bytes at a place among the file's blobs before compression. */
  async read(file: SealedFile, offset: number, length: number): Promise<Result<Uint8Array, SealedProblem>> {
    if (length === 0) return ok(new Uint8Array());
    const handle = await this.#pool.acquire(file.path);
    if (!handle.ok) return { ok: false, error: { kind: "io", offset: 0, message: handle.error.message } };
    try {
      let blocks = this.#directories.get(file.path);
      if (blocks === undefined) {
        const directory = await readOpenDirectory(handle.value, { logId: this.#logId, ...file });
        if (!directory.ok) return directory;
        blocks = directory.value.blocks;
        this.#directories.set(file.path, blocks);
      }
      const block = blockAt(blocks, offset);
      if (block === null) return { ok: false, error: { kind: "damaged", offset: 0, message: "no block has the blob" } };
      const name = `${file.path}:${block.offset}`;
      const cached = this.#blocks.get(name);
      const raw = cached === undefined ? await readBlock(handle.value, block) : ok(cached);
      if (!raw.ok) return raw;
      this.#keep(name, raw.value);
      const from = offset - block.offset;
      return ok(new Uint8Array(raw.value.subarray(from, from + length)));
    } finally {
      this.#pool.release(file.path);
    }
  }

  /** The file is not the segment's any more. */
  forget(path: string): void {
    this.#directories.delete(path);
    for (const name of this.#blocks.keys()) if (name.startsWith(`${path}:`)) this.#blocks.delete(name);
  }

  #keep(name: string, raw: Buffer): void {
    this.#blocks.delete(name);
    if (raw.length > cachedBytesMax) return;
    this.#blocks.set(name, raw);
    const oldest = this.#blocks.keys().next();
    if (this.#blocks.size > blocksMax && oldest.done !== true) this.#blocks.delete(oldest.value);
  }
}
