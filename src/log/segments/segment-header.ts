// The first 64 bytes of a segment file: which log and which part of it the file is, in which version of the format.
// Its checksum seeds the checksums of the frames below it, so that no frame of another file or log passes for one of this.

import { crc32 } from "node:zlib";
import { assert } from "../../base/assert.ts";

//   0 magic "SKEINLOG"   8 version u32   12 number u32   16 first position u64   24 first sequence u64
//   32 log id, 16 ASCII characters   48 zero   60 CRC-32 of bytes 0..60          (little-endian)

const MAGIC = Buffer.from("SKEINLOG", "latin1");
const VERSION = 1;
const VERSION_AT = 8;
const LOG_ID_AT = 32;
const CHECKSUM_AT = 60;

export const segmentHeaderBytes = 64;
export const logIdLetters = 16;

export interface SegmentHeader {
  /** Random, one for the whole log. */
  readonly logId: string;
  /** Segments count from 0. */
  readonly number: number;
  readonly firstPosition: number;
  /** Frames in the segments before. */
  readonly firstSequence: number;
}

export type HeaderVerdict =
  | { readonly kind: "valid"; readonly header: SegmentHeader; readonly seed: number }
  | { readonly kind: "newer"; readonly version: number }
  | { readonly kind: "bad"; readonly reason: string };

export function encodeSegmentHeader(header: SegmentHeader): { readonly bytes: Buffer; readonly seed: number } {
  assert(header.logId.length === logIdLetters, "a log id has its fixed length");
  const bytes = Buffer.alloc(segmentHeaderBytes);
  MAGIC.copy(bytes);
  bytes.writeUInt32LE(VERSION, VERSION_AT);
  bytes.writeUInt32LE(header.number, 12);
  bytes.writeBigUInt64LE(BigInt(header.firstPosition), 16);
  bytes.writeBigUInt64LE(BigInt(header.firstSequence), 24);
  bytes.write(header.logId, LOG_ID_AT, "latin1");
  const seed = crc32(bytes.subarray(0, CHECKSUM_AT));
  bytes.writeUInt32LE(seed, CHECKSUM_AT);
  return { bytes, seed };
}

/** `bytes` are the file's first 64, or all it has. */
export function decodeSegmentHeader(bytes: Buffer): HeaderVerdict {
  if (bytes.length >= VERSION_AT + 4 && bytes.subarray(0, MAGIC.length).equals(MAGIC)) {
    const version = bytes.readUInt32LE(VERSION_AT);
    if (version > VERSION && !isFlippedVersion(bytes)) return { kind: "newer", version };
  }
  if (bytes.length < segmentHeaderBytes) return { kind: "bad", reason: "the file ends inside its header" };
  const seed = crc32(bytes.subarray(0, CHECKSUM_AT));
  if (seed !== bytes.readUInt32LE(CHECKSUM_AT) || !bytes.subarray(0, MAGIC.length).equals(MAGIC)) {
    return { kind: "bad", reason: "the file's header does not match its checksum" };
  }
  return {
    kind: "valid",
    seed,
    header: {
      logId: bytes.toString("latin1", LOG_ID_AT, LOG_ID_AT + logIdLetters),
      number: bytes.readUInt32LE(12),
      firstPosition: Number(bytes.readBigUInt64LE(16)),
      firstSequence: Number(bytes.readBigUInt64LE(24)),
    },
  };
}

/** A header of this version with only its version field damaged must not be reported as a newer program's work. */
function isFlippedVersion(bytes: Buffer): boolean {
  if (bytes.length < segmentHeaderBytes) return false;
  const restored = Buffer.from(bytes.subarray(0, CHECKSUM_AT));
  restored.writeUInt32LE(VERSION, VERSION_AT);
  return crc32(restored) === bytes.readUInt32LE(CHECKSUM_AT);
}
