// A batch on its way in: checked against the limits, its records as bytes, its blobs named rightly.

import { assert } from "../base/assert.ts";
import type { BlobId } from "../base/ids.ts";
import { err, ok, type Result } from "../base/result.ts";
import { CheckedBlob, isBlobOf } from "./blob-id.ts";
import type { AppendError, Batch, NewBlob } from "./log.ts";
import { encodeRecord } from "./record-codec.ts";

/** To be taken over before the next batch is encoded: its records' memory may then be used again. */
export interface EncodedBatch {
  readonly records: readonly Uint8Array[];
  /** Without those the log already has. */
  readonly blobs: readonly NewBlob[];
  /** As stored: the payload of a frame. */
  readonly bytes: number;
}

export interface BatchLimits {
  readonly batchBytesMax: number;
  readonly recordBytesMax: number;
}

/** Length before each record. */
export const recordHeaderBytes = 4;
/** Length of the id, the id, length of the bytes. */
export const blobHeaderBytes = (id: BlobId): number => 1 + id.length / 2 + 4;

/** A blob whose bytes are not those of its id is a bug of the caller and asserts: stored, it could never be read again. */
export function encodeBatch(
  batch: Batch,
  limits: BatchLimits,
  isStored: (id: BlobId) => boolean,
): Result<EncodedBatch, AppendError> {
  const blobs = newBlobs(batch.blobs, isStored);
  let bytes = 0;
  for (const blob of blobs) bytes += blobHeaderBytes(blob.id) + blob.bytes.byteLength;
  if (bytes > limits.batchBytesMax) return tooLarge(bytes, limits.batchBytesMax);

  const isOnly = batch.records.length === 1;
  const records = batch.records.map((record) => encodeRecord(record, isOnly));
  for (const { byteLength } of records) {
    if (byteLength > limits.recordBytesMax) return tooLarge(byteLength, limits.recordBytesMax);
    bytes += recordHeaderBytes + byteLength;
  }
  if (bytes > limits.batchBytesMax) return tooLarge(bytes, limits.batchBytesMax);

  for (const blob of blobs) {
    if (!(blob instanceof CheckedBlob)) assert(isBlobOf(blob.id, blob.bytes), `blob ${blob.id} is what its id says`);
  }
  return ok({ records, blobs, bytes });
}

function lastOf(blobs: readonly NewBlob[], id: BlobId): number {
  let at = blobs.length - 1;
  while (at > 0 && blobs[at]?.id !== id) at -= 1;
  return at;
}

/** Compared with each other sooner than put into a Map. */
const fewBlobs = 4;

function newBlobs(blobs: readonly NewBlob[], isStored: (id: BlobId) => boolean): readonly NewBlob[] {
  if (blobs.length === 0) return blobs;
  if (blobs.length <= fewBlobs && blobs.every(({ id }, at) => !isStored(id) && lastOf(blobs, id) === at)) return blobs;
  const fresh = new Map<BlobId, NewBlob>();
  for (const blob of blobs) if (!isStored(blob.id)) fresh.set(blob.id, blob);
  return [...fresh.values()];
}

function tooLarge(bytes: number, bytesMax: number): Result<EncodedBatch, AppendError> {
  return err({ kind: "batch-too-large", bytes, bytesMax });
}
