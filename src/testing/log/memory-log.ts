// A Log in memory, for tests of what stands above it. It keeps the port's contract, closes and reopens, and can be told
// to hold flushes back or to fail the next one.

import { asPosition, type BlobId, type Position } from "../../base/ids.ts";
import { err, ok, type Result, unwrap } from "../../base/result.ts";
import { type BatchLimits, type EncodedBatch, encodeBatch } from "../../log/encode-batch.ts";
import { LOG_LIMITS } from "../../log/limits.ts";
import type {
  AppendError,
  Batch,
  BlobError,
  CheckpointError,
  CheckpointReport,
  FoldImage,
  Log,
  OpenError,
  SavedFolds,
  StoredRecord,
} from "../../log/log.ts";
import { decodeRecord } from "../../log/record-codec.ts";

export interface MemoryStore {
  /** `held` while a log opened before is not closed. */
  open(limits?: BatchLimits): Result<MemoryLog, OpenError>;
}

/** What is durable, as bytes: a reader gets new values each time, as from a disk. */
interface Disk {
  readonly records: Uint8Array[];
  readonly blobs: Map<BlobId, Uint8Array>;
  checkpoint: Checkpoint | null;
  isHeld: boolean;
}

interface Checkpoint {
  readonly position: Position;
  readonly folds: readonly { readonly name: string; readonly version: number; readonly parts: readonly Uint8Array[] }[];
}

type Answer = Result<Position, AppendError>;

interface Waiting {
  readonly batch: EncodedBatch;
  readonly end: Position;
  resolve(answer: Answer): void;
}

export function memoryStore(): MemoryStore {
  const disk: Disk = { records: [], blobs: new Map(), checkpoint: null, isHeld: false };
  return {
    open(limits = LOG_LIMITS) {
      if (disk.isHeld) return err({ kind: "held", message: "another writer has this log" });
      disk.isHeld = true;
      return ok(new MemoryLog(disk, limits));
    },
  };
}

/** A new and empty log. */
export function memoryLog(): MemoryLog {
  return unwrap(memoryStore().open(), "a new log in memory");
}

export class MemoryLog implements Log {
  readonly #disk: Disk;
  readonly #limits: BatchLimits;
  readonly saved: SavedFolds | null;
  readonly #queue: Waiting[] = [];
  readonly #waitingBlobs = new Map<BlobId, Uint8Array>();
  #accepted: Position;
  #flush: Promise<void> | null = null;
  #held: PromiseWithResolvers<void> | null = null;
  #nextFailure: AppendError | null = null;
  #stopped: AppendError | null = null;
  #isClosed = false;

  constructor(disk: Disk, limits: BatchLimits) {
    this.#disk = disk;
    this.#limits = limits;
    this.saved = disk.checkpoint === null ? null : savedFolds(disk.checkpoint);
    this.#accepted = asPosition(disk.records.length);
  }

  get end(): Position {
    return this.#stopped === null ? this.#accepted : this.durable;
  }

  get durable(): Position {
    return asPosition(this.#disk.records.length);
  }

  /** From now on nothing becomes durable until `release`. */
  hold(): void {
    this.#held ??= Promise.withResolvers<void>();
  }

  release(): void {
    this.#held?.resolve();
    this.#held = null;
  }

  /** The next flush fails for all that wait for it, and the log stops. */
  failNext(error: AppendError): void {
    this.#nextFailure = error;
  }

  append(batch: Batch, expected: Position): Promise<Answer> {
    if (this.#isClosed) return Promise.resolve(err({ kind: "stopped", message: "the log is closed" }));
    if (this.#stopped !== null) return Promise.resolve(err(this.#stopped));
    if (expected !== this.#accepted) return Promise.resolve(err({ kind: "moved", expected, end: this.#accepted }));
    const encoded = encodeBatch(batch, this.#limits, (id) => this.hasBlob(id));
    if (!encoded.ok) return Promise.resolve(encoded);
    this.#accepted = asPosition(expected + batch.records.length);
    for (const blob of encoded.value.blobs) this.#waitingBlobs.set(blob.id, new Uint8Array(blob.bytes));
    return this.#submit({ ...encoded.value, records: encoded.value.records.map((bytes) => new Uint8Array(bytes)) });
  }

  async flushed(): Promise<Result<void, AppendError>> {
    const answer = await this.#submit({ records: [], blobs: [], bytes: 0 });
    return answer.ok ? ok(undefined) : answer;
  }

  read(from: Position): AsyncIterable<StoredRecord> {
    return stored(this.#disk.records.slice(from), from);
  }

  hasBlob(id: BlobId): boolean {
    return this.#disk.blobs.has(id) || this.#waitingBlobs.has(id);
  }

  blobBytes(id: BlobId): number | null {
    return (this.#disk.blobs.get(id) ?? this.#waitingBlobs.get(id))?.byteLength ?? null;
  }

  async blob(id: BlobId): Promise<Result<Uint8Array, BlobError>> {
    const bytes = this.#disk.blobs.get(id) ?? this.#waitingBlobs.get(id);
    return bytes === undefined ? err({ kind: "missing", id }) : ok(new Uint8Array(bytes));
  }

  async checkpoint(folds: readonly FoldImage[]): Promise<Result<CheckpointReport, CheckpointError>> {
    const position = this.#accepted;
    const images = folds.map(({ name, version, parts }) => ({
      name,
      version,
      parts: [...parts].map((p) => p.slice()),
    }));
    const flushed = await this.flushed();
    if (!flushed.ok) return flushed;
    this.#disk.checkpoint = { position, folds: images };
    const bytes = images.flatMap(({ parts }) => parts).reduce((sum, part) => sum + part.length, 0);
    return ok({ position, bytes });
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#flush;
    this.#disk.isHeld = false;
  }

  #submit(batch: EncodedBatch): Promise<Answer> {
    const { promise, resolve } = Promise.withResolvers<Answer>();
    this.#queue.push({ batch, end: this.#accepted, resolve });
    this.#flush ??= this.#flushAll();
    return promise;
  }

  async #flushAll(): Promise<void> {
    await Promise.resolve();
    while (this.#queue.length > 0) {
      await this.#held?.promise;
      if (this.#held !== null) continue;
      if (this.#nextFailure !== null) this.#fail(this.#nextFailure);
      for (const { batch, end, resolve } of this.#queue.splice(0)) resolve(this.#store(batch, end));
    }
    this.#flush = null;
  }

  #store(batch: EncodedBatch, end: Position): Answer {
    if (this.#stopped !== null) return err(this.#stopped);
    this.#disk.records.push(...batch.records);
    for (const { id } of batch.blobs) {
      this.#disk.blobs.set(id, this.#waitingBlobs.get(id) ?? new Uint8Array());
      this.#waitingBlobs.delete(id);
    }
    return ok(end);
  }

  #fail(error: AppendError): void {
    this.#nextFailure = null;
    this.#stopped = { kind: "stopped", message: "an earlier flush failed" };
    this.#waitingBlobs.clear();
    for (const { resolve } of this.#queue.splice(0)) resolve(err(error));
  }
}

function savedFolds({ position, folds }: Checkpoint): SavedFolds {
  return {
    position,
    parts(name, version) {
      const fold = folds.find((each) => each.name === name && each.version === version);
      return fold === undefined ? null : stream(fold.parts);
    },
  };
}

async function* stream(parts: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield part.slice();
}

async function* stored(records: readonly Uint8Array[], from: Position): AsyncGenerator<StoredRecord> {
  for (const [index, bytes] of records.entries()) {
    const record = decodeRecord(bytes, asPosition(from + index));
    if (record !== null) yield record;
  }
}
