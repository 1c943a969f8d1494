// A log together with the large contents beside it, as one Log: whoever asks for a content need not know where it is.

import type { BlobId, Position } from "../base/ids.ts";
import { err, type Result } from "../base/result.ts";
import type { LargeBlobs } from "./large-blobs.ts";
import type {
  AppendError,
  Batch,
  BlobError,
  CheckpointError,
  CheckpointReport,
  FoldImage,
  Log,
  SavedFolds,
  StoredRecord,
} from "./log.ts";

export function withLargeBlobs(log: Log, large: LargeBlobs): Log {
  return new LogWithLargeBlobs(log, large);
}

class LogWithLargeBlobs implements Log {
  readonly #log: Log;
  readonly #large: LargeBlobs;

  constructor(log: Log, large: LargeBlobs) {
    this.#log = log;
    this.#large = large;
  }

  get end(): Position {
    return this.#log.end;
  }

  get durable(): Position {
    return this.#log.durable;
  }

  get saved(): SavedFolds | null {
    return this.#log.saved;
  }

  append(batch: Batch, expected: Position): Promise<Result<Position, AppendError>> {
    return this.#log.append(batch, expected);
  }

  flushed(): Promise<Result<void, AppendError>> {
    return this.#log.flushed();
  }

  read(from: Position): AsyncIterable<StoredRecord> {
    return this.#log.read(from);
  }

  hasBlob(id: BlobId): boolean {
    return this.#log.hasBlob(id) || this.#large.has(id);
  }

  blobBytes(id: BlobId): number | null {
    return this.#large.has(id) ? null : this.#log.blobBytes(id);
  }

  async blob(id: BlobId): Promise<Result<Uint8Array, BlobError>> {
    if (!this.#large.has(id)) return this.#log.blob(id);
    const read = await this.#large.read(id);
    if (read.ok) return read;
    const { error } = read;
    if (error.kind === "missing") return err({ kind: "missing", id });
    const message = error.kind === "disk" ? `${error.error.path}: ${error.error.message}` : error.message;
    return err({ kind: "damaged", id, message });
  }

  checkpoint(folds: readonly FoldImage[]): Promise<Result<CheckpointReport, CheckpointError>> {
    return this.#log.checkpoint(folds);
  }

  close(): Promise<void> {
    return this.#log.close();
  }
}
