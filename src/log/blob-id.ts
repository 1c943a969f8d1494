// The name of a blob: git's object id of its bytes. The log stores no blob under a name that is not its own.

import { createHash } from "node:crypto";
import { asBlobId, type BlobId } from "../base/ids.ts";

export type ObjectFormat = "sha1" | "sha256";

const SHA1_HEX = /^[0-9a-f]{40}$/;
const SHA256_HEX = /^[0-9a-f]{64}$/;

/** Git's id of a blob: the hash of `blob <length>\0` and the bytes (gitformat-loose(5), "Git Objects" in Pro Git). */
export function blobIdOf(bytes: Uint8Array, format: ObjectFormat): BlobId {
  const hash = createHash(format);
  hash.update(`blob ${bytes.byteLength}\0`, "latin1");
  hash.update(bytes);
  return asBlobId(hash.digest("hex"));
}

/** Which hash an id comes from, by its length; null if it is no blob id at all. */
export function objectFormatOf(id: BlobId): ObjectFormat | null {
  if (SHA1_HEX.test(id)) return "sha1";
  return SHA256_HEX.test(id) ? "sha256" : null;
}

export function isBlobOf(id: BlobId, bytes: Uint8Array): boolean {
  const format = objectFormatOf(id);
  return format !== null && blobIdOf(bytes, format) === id;
}
