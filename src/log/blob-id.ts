// The name of a blob: git's object id of its bytes. The log stores no blob under a name that is not its own.

import { createHash, hash } from "node:crypto";
import { asBlobId, type BlobId } from "../base/ids.ts";
import type { NewBlob } from "./log.ts";

export type ObjectFormat = "sha1" | "sha256";

const SHA1_HEX = /^[0-9a-f]{40}$/;
const SHA256_HEX = /^[0-9a-f]{64}$/;

/** Git's id of a blob: the hash of `blob <length>\0` and the bytes (gitformat-loose(5), "Git Objects" in Pro Git). */
export function blobIdOf(bytes: Uint8Array, format: ObjectFormat): BlobId {
  if (bytes.byteLength <= smallBytesMax) return smallIdOf(bytes, format);
  const whole = createHash(format);
  whole.update(`blob ${bytes.byteLength}\0`, "latin1");
  whole.update(bytes);
  return asBlobId(whole.digest("hex"));
}

/** What is copied behind its header and hashed in one call: a Hash object costs more than the copy. */
const smallBytesMax = 32 * 1024;
const headerBytesMax = 16;
const scratch = Buffer.allocUnsafeSlow(headerBytesMax + smallBytesMax);
const BLOB = Buffer.from("blob ");
BLOB.copy(scratch);

function smallIdOf(bytes: Uint8Array, format: ObjectFormat): BlobId {
  const header = writeHeader(bytes.byteLength);
  scratch.set(bytes, header);
  return asBlobId(hash(format, scratch.subarray(0, header + bytes.byteLength), "hex"));
}

/** Which hash an id comes from, by its length; null if it is no blob id at all. */
export function objectFormatOf(id: BlobId): ObjectFormat | null {
  if (SHA1_HEX.test(id)) return "sha1";
  return SHA256_HEX.test(id) ? "sha256" : null;
}

/** `blob <length>\0` into the scratch, digit by digit: a call out of JavaScript takes longer. */
function writeHeader(length: number): number {
  let digits = 1;
  for (let rest = length; rest >= 10; rest = Math.floor(rest / 10)) digits += 1;
  const end = BLOB.length + digits;
  let rest = length;
  for (let at = end - 1; at >= BLOB.length; at -= 1) {
    scratch[at] = 0x30 + (rest % 10);
    rest = Math.floor(rest / 10);
  }
  scratch[end] = 0;
  return end + 1;
}

export function isBlobOf(id: BlobId, bytes: Uint8Array): boolean {
  // What a hash equals has a hash's form.
  const format = id.length === 40 ? "sha1" : id.length === 64 ? "sha256" : null;
  return format !== null && blobIdOf(bytes, format) === id;
}

/** A blob whose bytes were hashed, so that nobody hashes them again. They must not be changed any more. */
export class CheckedBlob implements NewBlob {
  readonly id: BlobId;
  readonly bytes: Uint8Array;

  private constructor(id: BlobId, bytes: Uint8Array) {
    this.id = id;
    this.bytes = bytes;
  }

  /** Null if the bytes are not those of the id. */
  static of({ id, bytes }: NewBlob): CheckedBlob | null {
    return isBlobOf(id, bytes) ? new CheckedBlob(id, bytes) : null;
  }
}
