// Numbers and contents from a seed, cheap enough that making them is no part of what is measured.

import { createHash } from "node:crypto";
import { asBlobId, type BlobId, type RepoPath } from "../../src/base/ids.ts";

export class BenchRandom {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 1;
  }

  /** From 0 to below `end` (xorshift32, Marsaglia 2003). */
  below(end: number): number {
    let x = this.#state;
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    this.#state = x;
    return (x >>> 0) % end;
  }
}

const lineBytes = 64;
const pool = Buffer.from(
  Array.from(
    { length: 2_048 },
    (_, index) =>
      `${createHash("sha256")
        .update(String(index))
        .digest("hex")
        .slice(0, lineBytes - 1)}\n`,
  ).join(""),
);

/** Text of whole lines, different at each call. */
export function textOf(bytes: number, random: BenchRandom, stamp: string): Buffer {
  const lines = Math.max(1, Math.floor(bytes / lineBytes));
  const from = random.below(2_048 - Math.min(lines, 2_047)) * lineBytes;
  const content = Buffer.allocUnsafe(bytes);
  content.fill(0x2e);
  pool.copy(content, 0, from, from + bytes);
  content.write(stamp.padEnd(Math.min(bytes - 1, 32)), 0, "latin1");
  content[bytes - 1] = 0x0a;
  return content;
}

export function idOf(content: Uint8Array): BlobId {
  return asBlobId(createHash("sha1").update(`blob ${content.byteLength}\0`, "latin1").update(content).digest("hex"));
}

/** The files of the repository that is committed to: a hundred directories. */
export function pathOf(index: number): RepoPath {
  return `src/d${index % 100}/f${index}.txt` as RepoPath;
}
