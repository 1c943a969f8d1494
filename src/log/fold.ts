// A fold: a state computed from the log's records in order, and from nothing else. Two folds of one log cannot disagree.

import type { StoredRecord } from "./log.ts";

export interface Fold<State> {
  readonly name: string;
  /** Changes whenever the meaning of the state changes: a checkpoint of another version is not used. */
  readonly version: number;
  initial(): State;
  /** Changes `state` in place. Record types it does not know are ignored. Must not fail for a record that was accepted. */
  apply(state: State, record: StoredRecord): void;
}
