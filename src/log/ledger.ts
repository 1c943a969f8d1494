// The ledger: one log and the folds of it, always in step. What a fold sees when a batch is accepted is exactly what a
// replay would give it; once a flush has failed the folds are ahead of the disk, and the ledger stops.

import { assert } from "../base/assert.ts";
import { asPosition, type Position } from "../base/ids.ts";
import { err, type Result } from "../base/result.ts";
import type { Fold } from "./fold.ts";
import type { AppendError, Batch, Log, StoredRecord } from "./log.ts";
import { asReplayed } from "./record-codec.ts";

export type DurableListener = (records: readonly StoredRecord[]) => void;

export interface Ledger {
  readonly log: Log;
  /** Position after the last record that the folds have seen. */
  readonly end: Position;
  /** Position after the last durable record that the listeners have heard of. */
  readonly durable: Position;
  /** Why nothing is accepted any more; null while all is well. Reopen to go on. */
  readonly stopped: AppendError | null;
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
}

/** Replays the log into the folds. Rejects where the log cannot be read to its end (see `Log.read`). */
export async function openLedger(log: Log, folds: readonly Fold<unknown>[]): Promise<Ledger> {
  assert(new Set(folds.map((fold) => fold.name)).size === folds.length, "folds have different names");
  const states = new Map(folds.map((fold) => [fold, fold.initial()]));
  await log.flushed();
  let end = asPosition(0);
  for await (const record of log.read(end)) {
    assert(record.position === end, `record ${end} follows, not ${record.position}`);
    for (const [fold, state] of states) fold.apply(state, record);
    end = asPosition(end + 1);
  }
  return new FoldingLedger(log, states, end);
}

class FoldingLedger implements Ledger {
  readonly log: Log;
  readonly #states: ReadonlyMap<Fold<unknown>, unknown>;
  readonly #listeners = new Set<DurableListener>();
  /** Accepted batches that are not durable yet, in order. */
  readonly #waiting: (readonly StoredRecord[])[] = [];
  #end: Position;
  #announced: Position;
  #stopped: AppendError | null = null;

  constructor(log: Log, states: ReadonlyMap<Fold<unknown>, unknown>, end: Position) {
    this.log = log;
    this.#states = states;
    this.#end = end;
    this.#announced = end;
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
    if (this.#stopped !== null) return Promise.resolve(err(stoppedBy(this.#stopped)));
    const before = this.#end;
    const records = asReplayed(batch.records, before);
    const end = asPosition(before + records.length);
    const wasInStep = this.log.end === before;
    const answer = this.log.append(batch, before);
    const isAccepted = wasInStep && records.length > 0 && this.log.end === end;
    if (isAccepted) this.#accept(records, end);
    return this.#settled(answer, isAccepted);
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

  #accept(records: readonly StoredRecord[], end: Position): void {
    this.#end = end;
    this.#waiting.push(records);
    try {
      for (const record of records) for (const [fold, state] of this.#states) fold.apply(state, record);
    } catch (error) {
      // A fold that fails for an accepted record is a bug; half-applied states must not be built upon.
      this.#stopped = { kind: "stopped", message: `a fold failed: ${String(error)}` };
      throw error;
    }
  }

  async #settled(
    answer: Promise<Result<Position, AppendError>>,
    isAccepted: boolean,
  ): Promise<Result<Position, AppendError>> {
    const result = await answer;
    if (result.ok) this.#announce(result.value);
    else if (isAccepted) this.#stopped ??= result.error;
    return result;
  }

  #announce(durable: Position): void {
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      const end = asPosition(this.#announced + next.length);
      if (end > durable) return;
      this.#waiting.shift();
      this.#announced = end;
      for (const listener of [...this.#listeners]) listener(next);
    }
  }
}

function stoppedBy(cause: AppendError): AppendError {
  const message = "message" in cause ? cause.message : cause.kind;
  return { kind: "stopped", message: `the state is ahead of the disk: ${message}` };
}
