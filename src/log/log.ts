// The Log port: one append-only sequence of records with one writer, and the blobs that the records name.
// A batch is durable as a whole or absent as a whole. Positions are dense record numbers, never byte offsets.

import type { BlobId, Position } from "../base/ids.ts";
import type { Result } from "../base/result.ts";
import type { FileError } from "../host/files.ts";

/** A record as its domain writes it. `data` holds only what msgpack carries: null, booleans, numbers, strings, bytes, arrays, plain objects. */
export interface NewRecord {
  /** snake_case, for example `task_leased`. */
  readonly type: string;
  /** Version of `data` for this type, from 1. */
  readonly version: number;
  /** Wall time, milliseconds since the epoch. */
  readonly atMs: number;
  readonly data: unknown;
}

export interface StoredRecord extends NewRecord {
  readonly position: Position;
}

export interface NewBlob {
  readonly id: BlobId;
  readonly bytes: Uint8Array;
}

/** Records and blobs that become durable together. A batch without records only stores blobs. */
export interface Batch {
  readonly records: readonly NewRecord[];
  readonly blobs: readonly NewBlob[];
}

export type AppendError =
  /** Someone appended since the caller looked: nothing was written. */
  | { readonly kind: "moved"; readonly expected: Position; readonly end: Position }
  | { readonly kind: "batch-too-large"; readonly bytes: number; readonly bytesMax: number }
  /** The disk refused before anything was acknowledged; the log stays usable for reading. */
  | { readonly kind: "no-space"; readonly message: string }
  /** A flush failed or the log was closed: no later append is accepted. Reopen to go on. */
  | { readonly kind: "stopped"; readonly message: string };

export type BlobError =
  | { readonly kind: "missing"; readonly id: BlobId }
  | { readonly kind: "damaged"; readonly id: BlobId; readonly message: string };

export type OpenError =
  | { readonly kind: "held"; readonly message: string }
  /** A record or blob before the tail does not match its checksum. */
  | {
      readonly kind: "damaged";
      readonly file: string;
      readonly offset: number;
      readonly position: Position;
      readonly message: string;
    }
  /** Written by a newer version of the format. */
  | { readonly kind: "newer"; readonly file: string; readonly message: string }
  /** `code`: how the file system said no, where it did. */
  | { readonly kind: "io"; readonly message: string; readonly code?: FileError["code"] };

/** A fold as it goes into a checkpoint. */
export interface FoldImage {
  readonly name: string;
  readonly version: number;
  readonly parts: Iterable<Uint8Array>;
}

export interface SavedFolds {
  /** The folds have seen the records before it. */
  readonly position: Position;
  /** Null if the checkpoint does not have the fold in this version. The iteration throws where the file went bad. */
  parts(name: string, version: number): AsyncIterable<Uint8Array> | null;
}

export interface CheckpointReport {
  readonly position: Position;
  readonly bytes: number;
}

export type CheckpointError =
  /** What the folds had seen did not become durable. */
  AppendError | { readonly kind: "failed"; readonly message: string };

export interface Log {
  /** Position after the last accepted record: accepted may be not yet durable. */
  readonly end: Position;
  /** Position after the last durable record. */
  readonly durable: Position;
  /**
   * Accepts the batch at once, before the first `await`, if `expected` equals `end`: the caller may fold its records
   * right after the call. Resolves with the new end when the batch is durable. Batches become durable in order.
   */
  append(batch: Batch, expected: Position): Promise<Result<Position, AppendError>>;
  /** Resolves when everything accepted so far is durable. */
  flushed(): Promise<Result<void, AppendError>>;
  /** Durable records from `from` (inclusive) to the durable end at the time of the call. */
  read(from: Position): AsyncIterable<StoredRecord>;
  /** True also for accepted blobs that are not yet durable. */
  hasBlob(id: BlobId): boolean;
  /** How many bytes it has, without a way to the disk; null for one that is kept beside the log, or missing. */
  blobBytes(id: BlobId): number | null;
  /** The blob's bytes, checked against the stored checksum. */
  blob(id: BlobId): Promise<Result<Uint8Array, BlobError>>;
  /** The folds of the newest checkpoint that could be used; null where there is none. */
  readonly saved: SavedFolds | null;
  /**
   * Keeps images of folds that have seen exactly the records up to `end`: a later opening reads only what comes after them.
   * They are taken when the call is made and written once all they have seen is durable. `no-space` and `failed` leave the
   * log as it is.
   */
  checkpoint(folds: readonly FoldImage[]): Promise<Result<CheckpointReport, CheckpointError>>;
  /** Flushes, then lets the lock go. */
  close(): Promise<void>;
}
