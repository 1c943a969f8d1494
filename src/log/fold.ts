// A fold: a state computed from the log's records in order, and from nothing else. Two folds of one log cannot disagree.

import type { StoredRecord } from "./log.ts";

export interface Fold<State> {
  readonly name: string;
  /** Changes whenever the meaning of the state or its saved form changes: a checkpoint of another version is not used. */
  readonly version: number;
  /** The record types it reads with their newest version. A newer record of one of them makes the ledger read-only. */
  readonly types?: Readonly<Record<string, number>>;
  /** How its state goes into a checkpoint; without it the state is computed anew at each opening. */
  readonly codec?: FoldCodec<State>;
  initial(): State;
  /** Changes `state` in place. Record types it does not know are ignored. Must not fail for a record that was accepted. */
  apply(state: State, record: StoredRecord): void;
}

export interface FoldCodec<State> {
  /**
   * The state at the time of the call, however it changes while the parts are taken. The same state gives the same parts.
   * A part is at most `checkpointPartBytesMax` long and belongs to the state: it is copied or written at once.
   * Null for a state that goes into no checkpoint: it is computed from the records at the next opening.
   */
  save(state: State): Iterable<Uint8Array> | null;
  /** Null if these are not the parts of a state. */
  load(parts: AsyncIterable<Uint8Array>): Promise<State | null>;
}
