// The Log of who may only look: what was there when it was opened, and no way to change it.

import { asPosition, type BlobId, type Position } from "../../base/ids.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { AppendError, BlobError, Log, StoredRecord } from "../log.ts";
import { type LogSource, readBlob, readRecords } from "./reading.ts";
import type { TornTail } from "./recover.ts";

export class LogReader implements Log {
  readonly end: Position;
  readonly durable: Position;
  readonly tornTail: TornTail | null;
  readonly #source: LogSource;

  constructor(source: LogSource, tornTail: TornTail | null) {
    this.end = asPosition(source.segments.at(-1)?.end.position ?? 0);
    this.durable = this.end;
    this.tornTail = tornTail;
    this.#source = source;
  }

  append(): Promise<Result<Position, AppendError>> {
    return Promise.resolve(err({ kind: "stopped", message: "the log is open for reading only" }));
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

  blob(id: BlobId): Promise<Result<Uint8Array, BlobError>> {
    return readBlob(this.#source, id);
  }

  close(): Promise<void> {
    return this.#source.pool.close();
  }
}
