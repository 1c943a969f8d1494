// Brings folds to the log's end: from a checkpoint where one fits, else from the first record. A record that a newer
// program wrote ends it: what comes after cannot be understood, and nothing may be built on a part of the truth.

import { assert } from "../base/assert.ts";
import { asPosition, type Position } from "../base/ids.ts";
import type { Fold } from "./fold.ts";
import type { Log, SavedFolds, StoredRecord } from "./log.ts";

export interface Replay {
  readonly states: ReadonlyMap<Fold<unknown>, unknown>;
  /** Position after the last record that was applied. */
  readonly end: Position;
  readonly notes: readonly string[];
  /** Why nothing may be appended, a sentence; null where all records are known. */
  readonly newer: string | null;
}

export interface ReplayOptions {
  /** See `LedgerOptions`. */
  readonly strict: boolean;
  /** Not further than this; default: to the log's end. */
  readonly until?: Position;
}

export async function replayFolds(
  log: Log,
  folds: readonly Fold<unknown>[],
  { strict, until }: ReplayOptions,
): Promise<Replay> {
  const states = new Map<Fold<unknown>, unknown>();
  const late = new Set<Fold<unknown>>();
  const notes: string[] = [];
  const from = log.saved?.position ?? asPosition(0);
  for (const fold of folds) {
    const state = await restored(log.saved, fold, notes);
    states.set(fold, state ?? fold.initial());
    if (state === null) late.add(fold);
  }
  let end = late.size > 0 ? asPosition(0) : from;
  for await (const record of log.read(end)) {
    if (until !== undefined && end >= until) break;
    assert(record.position === end, `record ${end} follows, not ${record.position}`);
    const newer = newerRecord(record, folds, strict);
    if (newer !== null) return { states, end, notes, newer };
    for (const [fold, state] of states) if (end >= from || late.has(fold)) fold.apply(state, record);
    end = asPosition(end + 1);
  }
  assert(end >= from || until !== undefined, "a checkpoint is not ahead of its log");
  return { states, end, notes, newer: null };
}

async function restored(saved: SavedFolds | null, fold: Fold<unknown>, notes: string[]): Promise<unknown> {
  if (saved === null || fold.codec === undefined) return null;
  const parts = saved.parts(fold.name, fold.version);
  if (parts === null) return null;
  const because = `the checkpoint at ${saved.position} could not be used for "${fold.name}", which was computed anew`;
  try {
    const state = await fold.codec.load(parts);
    if (state === null) notes.push(because);
    return state;
  } catch (error) {
    notes.push(`${because}: ${error instanceof Error ? error.message : String(error)}`);
    return null;
  }
}

function newerRecord({ position, type, version }: StoredRecord, folds: readonly Fold<unknown>[], strict: boolean) {
  const known = folds.flatMap(({ types }) => (types !== undefined && Object.hasOwn(types, type) ? [types[type]] : []));
  if (known.some((newest) => newest !== undefined && version > newest)) {
    return sentence(position, `"${type}" in version ${version}`);
  }
  return strict && known.length === 0 ? sentence(position, `of the unknown type "${type}"`) : null;
}

function sentence(position: Position, what: string): string {
  return (
    `record ${position} is ${what}, written by a newer Skein: the store can only be read, up to that record. ` +
    "Nothing was changed; use the newer version to go on"
  );
}
