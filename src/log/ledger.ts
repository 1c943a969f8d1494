// The ledger: one log and the folds of it, always in step. What a fold sees when a batch is accepted is exactly what a
// replay would give it; once a flush has failed the folds are ahead of the disk, and the ledger stops.

import { assert } from "../base/assert.ts";
import { asPosition, type Position } from "../base/ids.ts";
import { err, type Result } from "../base/result.ts";
import type { Fold } from "./fold.ts";
import type { AppendError, Batch, CheckpointError, CheckpointReport, Log, StoredRecord } from "./log.ts";
import { asReplayed } from "./record-codec.ts";
import { replayFolds } from "./replay.ts";

export type DurableListener = (records: readonly StoredRecord[]) => void;

export interface LedgerOptions {
  /**
   * A record of a type that no fold reads was written by a newer program: such a log is only read. Default: it is passed
   * over. (A newer version of a type that a fold reads always means reading only.)
   */
  readonly strict?: boolean;
}

export interface Ledger {
  readonly log: Log;
  /** Position after the last record that the folds have seen. */
  readonly end: Position;
  /** Position after the last durable record that the listeners have heard of. */
  readonly durable: Position;
  /** Why nothing is accepted any more; null while all is well. Reopen to go on. */
  readonly stopped: AppendError | null;
  /** What a person should know about how the folds came to be, for example that a checkpoint could not be used. */
  readonly notes: readonly string[];
  /** The state of one of the folds the ledger was opened with. Not to be changed by the caller. */
  state<State>(fold: Fold<State>): State;
  /** Appends at the end. The folds have seen the records when the call returns; they are durable when it resolves. */
  append(batch: Batch): Promise<Result<Position, AppendError>>;
  flushed(): Promise<Result<void, AppendError>>;
  /**
   * Calls back with each batch's records once they are durable, in order, beginning with the record at `durable`: who also
   * wants those before replays up to there, and has no gap and nothing twice. Returns how to end it.
   */
  onDurable(listener: DurableListener): () => void;
  /** Durable records from `from` to the durable end at the time of the call. */
  replay(from: Position): AsyncIterable<StoredRecord>;
  /** Keeps the folds as they are now, so that the next opening reads only what comes after them. */
  checkpoint(): Promise<Result<CheckpointReport, CheckpointError>>;
}

/** Replays the log into the folds. Rejects where the log cannot be read to its end (see `Log.read`). */
export async function openLedger(
  log: Log,
  folds: readonly Fold<unknown>[],
  { strict = false }: LedgerOptions = {},
): Promise<Ledger> {
  assert(new Set(folds.map((fold) => fold.name)).size === folds.length, "folds have different names");
  await log.flushed();
  return new FoldingLedger(log, await replayFolds(log, folds, { strict }));
}

class FoldingLedger implements Ledger {
  readonly log: Log;
  readonly notes: readonly string[];
  readonly #states: ReadonlyMap<Fold<unknown>, unknown>;
  /** The same as a list, to go through with each record. */
  readonly #folded: readonly (readonly [Fold<unknown>, unknown])[];
  readonly #listeners = new Set<DurableListener>();
  /** Accepted batches that are not durable yet, in order, from `#waitingFrom` on. */
  #waiting: (readonly StoredRecord[])[] = [];
  #waitingFrom = 0;
  #end: Position;
  #announced: Position;
  #stopped: AppendError | null;
  readonly #readOnly: boolean;

  constructor(log: Log, { states, end, notes, newer }: Awaited<ReturnType<typeof replayFolds>>) {
    this.log = log;
    this.notes = notes;
    this.#states = states;
    this.#folded = [...states];
    this.#end = end;
    this.#announced = end;
    this.#stopped = newer === null ? null : { kind: "stopped", message: newer };
    this.#readOnly = newer !== null;
  }

  get end(): Position {
    return this.#end;
  }

  get durable(): Position {
    return this.#announced;
  }

  get stopped(): AppendError | null {
    return this.#stopped;
  }

  state<State>(fold: Fold<State>): State {
    assert(this.#states.has(fold), `the ledger was opened with the fold ${fold.name}`);
    // The map holds for each fold what its own `initial` returned, so the state has the fold's type; a Map cannot say so.
    return this.#states.get(fold) as State;
  }

  append(batch: Batch): Promise<Result<Position, AppendError>> {
    if (this.#stopped !== null) return Promise.resolve(err(this.#refusal(this.#stopped)));
    const before = this.#end;
    const { packed, stored } = asReplayed(batch.records, before);
    const end = asPosition(before + stored.length);
    const wasInStep = this.log.end === before;
    const answer = this.log.append({ records: packed, blobs: batch.blobs }, before);
    const isAccepted = wasInStep && stored.length > 0 && this.log.end === end;
    if (isAccepted) this.#accept(stored, end);
    return answer.then((result) => {
      if (result.ok) this.#announce(result.value);
      else if (isAccepted) this.#stopped ??= result.error;
      return result;
    });
  }

  flushed(): Promise<Result<void, AppendError>> {
    return this.log.flushed();
  }

  onDurable(listener: DurableListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  replay(from: Position): AsyncIterable<StoredRecord> {
    return this.log.read(from);
  }

  async checkpoint(): Promise<Result<CheckpointReport, CheckpointError>> {
    if (this.#stopped !== null) return err(this.#refusal(this.#stopped));
    const images = [...this.#states].flatMap(([{ name, version, codec }, state]) => {
      const parts = codec?.save(state) ?? null;
      return parts === null ? [] : [{ name, version, parts }];
    });
    return this.log.checkpoint(images);
  }

  #refusal(cause: AppendError): AppendError {
    if (this.#readOnly) return cause;
    const message = "message" in cause ? cause.message : cause.kind;
    return { kind: "stopped", message: `the state is ahead of the disk: ${message}` };
  }

  #accept(records: readonly StoredRecord[], end: Position): void {
    this.#end = end;
    this.#waiting.push(records);
    try {
      for (const record of records) for (const [fold, state] of this.#folded) fold.apply(state, record);
    } catch (error) {
      // A fold that fails for an accepted record is a bug; half-applied states must not be built upon.
      this.#stopped = { kind: "stopped", message: `a fold failed: ${String(error)}` };
      throw error;
    }
  }

  #announce(durable: Position): void {
    for (let next = this.#waiting[this.#waitingFrom]; next !== undefined; next = this.#waiting[this.#waitingFrom]) {
      const end = asPosition(this.#announced + next.length);
      if (end > durable) break;
      this.#waitingFrom += 1;
      this.#announced = end;
      if (this.#listeners.size > 0) for (const listener of [...this.#listeners]) listener(next);
    }
    // Cut off in one piece: a shift for each batch would move all the others each time.
    if (this.#waitingFrom < this.#waiting.length && this.#waitingFrom < waitingCutMin) return;
    this.#waiting = this.#waiting.slice(this.#waitingFrom);
    this.#waitingFrom = 0;
  }
}

const waitingCutMin = 1024;
