// A frame: one batch as bytes, valid as a whole or not at all.
// Header (48 bytes, little-endian), then the payload: records (length u32, msgpack), then blobs (length of the id u8, id,
// length u32, bytes).

import { crc32 } from "node:zlib";
import { assert } from "../../base/assert.ts";
import { writeHex } from "../../base/hex.ts";
import { asBlobId, type BlobId } from "../../base/ids.ts";
import { blobHeaderBytes, type EncodedBatch, recordHeaderBytes } from "../encode-batch.ts";
import { framePayloadBytesMax } from "../limits.ts";
import type { FramePieces, Piece } from "./frame-pieces.ts";

//   0 magic   4 payload length u32   8 CRC-32 of the payload   12 records u32   16 blobs u32
//   20 sequence u64   28 durable sequence u64   36 first position u64
//   44 CRC-32 of bytes 0..44, seeded with the segment header's

export const FRAME_MAGIC: Buffer = Buffer.from([0x9e, 0x53, 0x4b, 0xf1]);
export const frameHeaderBytes = 48;
const CHECKSUM_AT = 44;

export interface FrameHeader {
  readonly payloadBytes: number;
  readonly payloadChecksum: number;
  readonly recordCount: number;
  readonly blobCount: number;
  /** Number of this frame in the log, dense from 0. */
  readonly sequence: number;
  /** Every frame with a lower number was known to be durable when this one was written: it proves they once were whole. */
  readonly durableSequence: number;
  /** Position of the first record; for a frame without records, of the next one. */
  readonly firstPosition: number;
}

export interface BlobSpan {
  readonly id: BlobId;
  /** Of the blob's bytes, from the start of the payload. */
  readonly offset: number;
  readonly length: number;
}

/** A frame that lacks only the header, which is written when its place is known. */
export interface FrameDraft {
  readonly bytes: Buffer;
  /** What the bytes lie in. */
  readonly piece: Piece | null;
  readonly payloadChecksum: number;
  readonly recordCount: number;
  readonly blobs: readonly BlobSpan[];
}

export interface FramePlace {
  readonly sequence: number;
  readonly durableSequence: number;
  readonly firstPosition: number;
  readonly seed: number;
}

/**
 * Copies the batch: what the caller does with its bytes afterwards cannot change what is stored. With `pieces` the draft lies in
 * one of them, and they are told when it is durable.
 */
export function draftFrame(batch: EncodedBatch, pieces: FramePieces | null = null): FrameDraft {
  assert(batch.bytes <= framePayloadBytesMax, "a batch fits the format");
  const length = frameHeaderBytes + batch.bytes;
  const { bytes, piece } = pieces?.take(length) ?? { bytes: Buffer.allocUnsafe(length), piece: null };
  let at = frameHeaderBytes;
  for (const record of batch.records) {
    at = bytes.writeUInt32LE(record.byteLength, at);
    bytes.set(record, at);
    at += record.byteLength;
  }
  const blobs = batch.blobs.map(({ id, bytes: content }): BlobSpan => {
    at = bytes.writeUInt8(id.length / 2, at);
    at = writeHex(bytes, at, id);
    at = bytes.writeUInt32LE(content.byteLength, at);
    const offset = at - frameHeaderBytes;
    bytes.set(content, at);
    at += content.byteLength;
    return { id, offset, length: content.byteLength };
  });
  assert(at === bytes.length, "a batch is as long as it was measured");
  const payloadChecksum = crc32(bytes.subarray(frameHeaderBytes));
  return { bytes, piece, payloadChecksum, recordCount: batch.records.length, blobs };
}

/** The same bytes in fewer pieces: what lies behind one another in memory becomes one. */
export function joined(frames: readonly Buffer[]): readonly Buffer[] {
  const chunks: Buffer[] = [];
  for (const frame of frames) {
    const last = chunks.at(-1);
    const follows = last?.buffer === frame.buffer && last.byteOffset + last.length === frame.byteOffset;
    if (last !== undefined && follows) {
      chunks[chunks.length - 1] = Buffer.from(last.buffer, last.byteOffset, last.length + frame.length);
    } else chunks.push(frame);
  }
  return chunks;
}

/** Writes the header into the draft and returns the whole frame. */
export function finishFrame(draft: FrameDraft, place: FramePlace): Buffer {
  const { bytes } = draft;
  FRAME_MAGIC.copy(bytes);
  bytes.writeUInt32LE(bytes.length - frameHeaderBytes, 4);
  bytes.writeUInt32LE(draft.payloadChecksum, 8);
  bytes.writeUInt32LE(draft.recordCount, 12);
  bytes.writeUInt32LE(draft.blobs.length, 16);
  writeU64(bytes, place.sequence, 20);
  writeU64(bytes, place.durableSequence, 28);
  writeU64(bytes, place.firstPosition, 36);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, CHECKSUM_AT), place.seed), CHECKSUM_AT);
  return bytes;
}

/** Null if the bytes are not a frame header of the segment with this seed. */
export function decodeFrameHeader(bytes: Buffer, seed: number): FrameHeader | null {
  if (!bytes.subarray(0, FRAME_MAGIC.length).equals(FRAME_MAGIC)) return null;
  if (crc32(bytes.subarray(0, CHECKSUM_AT), seed) !== bytes.readUInt32LE(CHECKSUM_AT)) return null;
  const payloadBytes = bytes.readUInt32LE(4);
  if (payloadBytes > framePayloadBytesMax) return null;
  return {
    payloadBytes,
    payloadChecksum: bytes.readUInt32LE(8),
    recordCount: bytes.readUInt32LE(12),
    blobCount: bytes.readUInt32LE(16),
    sequence: readU64(bytes, 20),
    durableSequence: readU64(bytes, 28),
    firstPosition: readU64(bytes, 36),
  };
}

/** A safe integer as u64; BigInts would be made and thrown away for each frame. */
function writeU64(bytes: Buffer, value: number, at: number): void {
  bytes.writeUInt32LE(value % u32Values, at);
  bytes.writeUInt32LE(Math.floor(value / u32Values), at + 4);
}

function readU64(bytes: Buffer, at: number): number {
  return bytes.readUInt32LE(at) + bytes.readUInt32LE(at + 4) * u32Values;
}

const u32Values = 2 ** 32;

export interface PayloadParts {
  /** Views into the payload. */
  readonly records: readonly Buffer[];
  readonly blobs: readonly BlobSpan[];
}

/** Null if the payload is not what its header says, which a frame with a good checksum never is. */
export function splitPayload(payload: Buffer, header: FrameHeader): PayloadParts | null {
  const records: Buffer[] = [];
  let at = 0;
  for (let index = 0; index < header.recordCount; index += 1) {
    if (at + recordHeaderBytes > payload.length) return null;
    const start = at + recordHeaderBytes;
    at = start + payload.readUInt32LE(at);
    if (at > payload.length) return null;
    records.push(payload.subarray(start, at));
  }
  const blobs: BlobSpan[] = [];
  for (let index = 0; index < header.blobCount; index += 1) {
    const span = readBlobSpan(payload, at);
    if (span === null) return null;
    blobs.push(span);
    at = span.offset + span.length;
  }
  return at === payload.length ? { records, blobs } : null;
}

function readBlobSpan(payload: Buffer, at: number): BlobSpan | null {
  const idBytes = payload[at];
  if ((idBytes !== 20 && idBytes !== 32) || at + 1 + idBytes + 4 > payload.length) return null;
  const id = asBlobId(payload.toString("hex", at + 1, at + 1 + idBytes));
  const offset = at + blobHeaderBytes(id);
  const length = payload.readUInt32LE(offset - 4);
  return offset + length <= payload.length ? { id, offset, length } : null;
}
