// How much of one content is in another, as git decides whether a file was renamed: by chunks, each a line or 64 bytes.

import { isBinary } from "../merge/lines.ts";

/** Larger contents are told to be renamed by their ids alone. */
export const similarBytesMax = 1024 * 1024;
/** Git's default for a rename (`DEFAULT_RENAME_SCORE` in its diffcore.h). */
export const similarShareMin = 0.5;
/** Where only one file went and one came of a name: half-way from there to the same (`diffcore_rename_extended`). */
export const similarShareOfNameMin = 0.75;

const chunkBytesMax = 64;
const [LF, CR] = [0x0a, 0x0d];

/**
 * Bytes of `from` that `to` has too, as a share of the longer one's: `estimate_similarity` in git's diffcore-rename.c over the
 * chunks of `hash_chars` in its diffcore-delta.c, where a CR before an LF of a text does not count.
 */
export function similarShare(from: Uint8Array, to: Uint8Array): number {
  const longer = Math.max(from.length, to.length);
  if (to.length === 0 || Math.min(from.length, to.length) < longer * similarShareMin) return 0;
  const left = chunksOf(from);
  let copied = 0;
  for (const [chunk, bytes] of chunksOf(to)) copied += Math.min(bytes, left.get(chunk) ?? 0);
  return copied / longer;
}

/** How many bytes the content has of each chunk. */
function chunksOf(bytes: Uint8Array): ReadonlyMap<string, number> {
  const isText = !isBinary(bytes);
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
  const chunks = new Map<string, number>();
  let chunk = "";
  let start = 0;
  const close = (end: number): void => {
    chunk += all.slice(start, end);
    start = end;
    if (chunk.length > 0) chunks.set(chunk, (chunks.get(chunk) ?? 0) + chunk.length);
    chunk = "";
  };
  for (let at = 0; at < bytes.length; at += 1) {
    if (isText && bytes[at] === CR && bytes[at + 1] === LF) {
      chunk += all.slice(start, at);
      start = at + 1;
    } else if (bytes[at] === LF || chunk.length + at + 1 - start >= chunkBytesMax) close(at + 1);
  }
  close(bytes.length);
  return chunks;
}
