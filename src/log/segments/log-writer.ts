// The writer's Log: accepts batches at once and in order, hands them to the group commit, reads what is durable.

import { asPosition, type BlobId, type Position } from "../../base/ids.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { HeldLock } from "../../host/lock.ts";
import { encodeBatch } from "../encode-batch.ts";
import type { LogLimits } from "../limits.ts";
import type {
  AppendError,
  Batch,
  BlobError,
  CheckpointError,
  CheckpointReport,
  FoldImage,
  SavedFolds,
  StoredRecord,
} from "../log.ts";
import { draftFrame } from "./frame.ts";
import type { FramePieces } from "./frame-pieces.ts";
import type { GroupCommit } from "./group-commit.ts";
import type { Maintenance } from "./maintenance.ts";
import { type LogSource, readBlob, readRecords } from "./reading.ts";
import type { TornTail } from "./recover.ts";
import type { CollectReport, MaintenanceError, SealReport, SegmentLog } from "./segment-log.ts";
import { type LogStats, statsOf } from "./stats.ts";

export interface LogWriterParts {
  readonly source: LogSource;
  readonly commit: GroupCommit;
  /** The same as the group commit's. */
  readonly pieces: FramePieces;
  readonly maintenance: Maintenance;
  readonly limits: LogLimits;
  readonly lock: HeldLock;
  readonly tornTail: TornTail | null;
  readonly saved: SavedFolds | null;
  readonly notes: readonly string[];
}

export class LogWriter implements SegmentLog {
  readonly tornTail: TornTail | null;
  readonly saved: SavedFolds | null;
  readonly notes: readonly string[];
  readonly #source: LogSource;
  readonly #commit: GroupCommit;
  readonly #pieces: FramePieces;
  readonly #maintenance: Maintenance;
  readonly #limits: LogLimits;
  readonly #lock: HeldLock;
  readonly #isStored = (id: BlobId): boolean => this.hasBlob(id);
  #accepted: Position;
  #hasWritten = false;
  #closing: Promise<void> | null = null;

  constructor({ source, commit, pieces, maintenance, limits, lock, tornTail, saved, notes }: LogWriterParts) {
    this.tornTail = tornTail;
    this.saved = saved;
    this.notes = notes;
    this.#source = source;
    this.#commit = commit;
    this.#pieces = pieces;
    this.#maintenance = maintenance;
    this.#limits = limits;
    this.#lock = lock;
    this.#accepted = commit.durable;
  }

  /** Falls back to `durable` when a flush has failed: what was accepted beyond it does not exist. */
  get end(): Position {
    return this.#commit.failure === null ? this.#accepted : this.#commit.durable;
  }

  get durable(): Position {
    return this.#commit.durable;
  }

  append(batch: Batch, expected: Position): Promise<Result<Position, AppendError>> {
    if (this.#closing !== null) return Promise.resolve(err({ kind: "stopped", message: "the log is closed" }));
    if (this.#commit.failure !== null) return Promise.resolve(err(this.#commit.failure));
    if (expected !== this.#accepted) {
      return Promise.resolve(err({ kind: "moved", expected, end: this.#accepted }));
    }
    const encoded = encodeBatch(batch, this.#limits, this.#isStored);
    if (!encoded.ok) return Promise.resolve(encoded);
    const end = asPosition(expected + batch.records.length);
    this.#accepted = end;
    // A blob that is already stored, or waits before this batch, is not written twice.
    if (encoded.value.bytes === 0) return this.#commit.submit(null, expected, end);
    const draft = draftFrame(encoded.value, this.#pieces);
    this.#hasWritten = true;
    this.#source.index.addWaiting(draft);
    return this.#commit.submit(draft, expected, end);
  }

  async flushed(): Promise<Result<void, AppendError>> {
    const answer = await this.#commit.submit(null, this.#accepted, this.#accepted);
    return answer.ok ? ok(undefined) : answer;
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

  checkpoint(folds: readonly FoldImage[]): Promise<Result<CheckpointReport, CheckpointError>> {
    const at = this.#accepted;
    return this.#maintenance.checkpoint(at, folds, (reached) => this.#commit.atBarrier(at, reached));
  }

  seal(segmentsMax?: number): Promise<Result<SealReport, MaintenanceError>> {
    return this.#maintenance.seal(segmentsMax);
  }

  collect(keep: (id: BlobId) => boolean): Promise<Result<CollectReport, MaintenanceError>> {
    return this.#maintenance.collect(keep);
  }

  stats(): LogStats {
    return statsOf(this.#source);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    // The empty frame proves that the last batch was whole: if it is found bad later, that is damage and no torn tail.
    const last = this.#hasWritten ? draftFrame({ records: [], blobs: [], bytes: 0 }) : null;
    await this.#commit.submit(last, this.#accepted, this.#accepted);
    await this.#maintenance.close();
    await this.#commit.close();
    await this.#source.pool.close();
    await this.#lock.release();
  }
}
