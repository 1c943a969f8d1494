// The Log of who may only look: what was there when it was opened, and no way to change it.

import { asPosition, type BlobId, type Position } from "../../base/ids.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { AppendError, BlobError, CheckpointError, CheckpointReport, SavedFolds, StoredRecord } from "../log.ts";
import { type LogSource, readBlob, readRecords } from "./reading.ts";
import type { TornTail } from "./recover.ts";
import type { CollectReport, MaintenanceError, SealReport, SegmentLog } from "./segment-log.ts";
import { type LogStats, statsOf } from "./stats.ts";

const readOnly = { kind: "stopped", message: "the log is open for reading only" } as const;

export interface LogReaderParts {
  readonly source: LogSource;
  readonly tornTail: TornTail | null;
  readonly saved: SavedFolds | null;
  readonly notes: readonly string[];
}

export class LogReader implements SegmentLog {
  readonly end: Position;
  readonly durable: Position;
  readonly tornTail: TornTail | null;
  readonly saved: SavedFolds | null;
  readonly notes: readonly string[];
  readonly #source: LogSource;

  constructor({ source, tornTail, saved, notes }: LogReaderParts) {
    this.end = asPosition(source.segments.at(-1)?.end.position ?? 0);
    this.durable = this.end;
    this.tornTail = tornTail;
    this.saved = saved;
    this.notes = notes;
    this.#source = source;
  }

  append(): Promise<Result<Position, AppendError>> {
    return Promise.resolve(err(readOnly));
  }

  async flushed(): Promise<Result<void, AppendError>> {
    return ok(undefined);
  }

  read(from: Position): AsyncIterable<StoredRecord> {
    return readRecords(this.#source, from);
  }

  hasBlob(id: BlobId): boolean {
    return this.#source.index.has(id);
  }

  blobBytes(id: BlobId): number | null {
    return this.#source.index.bytesOf(id);
  }

  blob(id: BlobId): Promise<Result<Uint8Array, BlobError>> {
    return readBlob(this.#source, id);
  }

  async checkpoint(): Promise<Result<CheckpointReport, CheckpointError>> {
    return err(readOnly);
  }

  async seal(): Promise<Result<SealReport, MaintenanceError>> {
    return err({ kind: "failed", message: readOnly.message });
  }

  async collect(): Promise<Result<CollectReport, MaintenanceError>> {
    return err({ kind: "failed", message: readOnly.message });
  }

  stats(): LogStats {
    return statsOf(this.#source);
  }

  close(): Promise<void> {
    return this.#source.pool.close();
  }
}
