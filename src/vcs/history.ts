// The landed commits and the answers given, whole, as their records in the log have them: the state keeps only where they are.

import { assert } from "../base/assert.ts";
import { asPosition, type CommitKey, type Position } from "../base/ids.ts";
import type { Ledger } from "../log/ledger.ts";
import type { StoredRecord } from "../log/log.ts";
import { vcsFold } from "./fold.ts";
import { readVcsRecord, type VcsRecordData } from "./records.ts";
import type { LandedCommit, MergedPath, Moved, SettledOutcome } from "./types.ts";

/** The newest snapshot that is told of. Of an import that comes in batches nothing is before all of it is durable. */
export function shownEnd(ledger: Ledger): Position {
  const { coming, imported } = ledger.state(vcsFold);
  if (coming !== null) return asPosition(Math.min(ledger.durable, coming.from));
  const isWhole = imported === null || ledger.durable >= imported.tip.position;
  return isWhole ? ledger.durable : asPosition(Math.min(ledger.durable, imported.position - 1));
}

export interface GivenAnswer {
  readonly key: CommitKey;
  /** `requestDigest` of the request that got it. */
  readonly digest: string;
  readonly outcome: SettledOutcome;
}

/** The durable commits that a snapshot at `from` does not show, in the order they landed. */
export async function* history(ledger: Ledger, from: Position): AsyncGenerator<LandedCommit> {
  const { imported } = ledger.state(vcsFold);
  if (imported === null) return;
  // What an import that broke off has left lies before the one that did not.
  yield* commitsBetween(ledger, asPosition(Math.max(from, imported.position)), shownEnd(ledger));
}

/** Those that a snapshot at `end` shows and one at `from`, of this store's tree, does not. */
export async function* commitsBetween(ledger: Ledger, from: Position, end: Position): AsyncGenerator<LandedCommit> {
  for await (const record of ledger.replay(from)) {
    if (record.position >= end) return;
    const own = readVcsRecord(record);
    if (own?.type === "commit") yield landed(own.data, record);
  }
}

/** The durable commit that the snapshot is the first to show; a position without one is a bug. */
export async function landedAt(ledger: Ledger, position: Position): Promise<LandedCommit> {
  const record = await recordBefore(ledger, position);
  const own = readVcsRecord(record);
  assert(own?.type === "commit", `a commit landed at ${position}`);
  return landed(own.data, record);
}

/** The answer that was given at a durable position; null if none was. */
export async function answerAt(ledger: Ledger, position: Position): Promise<GivenAnswer | null> {
  const own = readVcsRecord(await recordBefore(ledger, position));
  switch (own?.type) {
    case "commit":
      return answered(own.data, landedOutcome(position, own.data.merged, own.data.moved));
    case "commit_unchanged":
    case "conflict_resolved":
      return answered(own.data, { kind: "unchanged", position });
    case "conflict":
      return answered(own.data, { kind: "conflict", position, conflict: own.data.conflict, joined: false });
    case "conflict_joined":
      return answered(own.data, { kind: "conflict", position, conflict: own.data.conflict, joined: true });
    default:
      return null;
  }
}

/** The outcome, as every answer to the key has it. */
export function landedOutcome(
  position: Position,
  merged: readonly Pick<MergedPath, "path">[],
  moved: readonly Moved[],
): SettledOutcome {
  const outcome = { kind: "landed", position, merged: merged.map(({ path }) => path) } as const;
  return moved.length === 0 ? outcome : { ...outcome, moved };
}

function answered({ key, digest }: VcsRecordData<"commit_unchanged">, outcome: SettledOutcome): GivenAnswer {
  return { key, digest, outcome };
}

export function landed(data: VcsRecordData<"commit">, { position, atMs }: StoredRecord): LandedCommit {
  const { author, message, base, changes, merged, resolves, discarded, moved } = data;
  const at = asPosition(position + 1);
  const commit = { position: at, atMs, author, message, base, changes, merged, resolves: resolves?.conflict ?? null };
  return {
    ...commit,
    ...(resolves === null ? {} : { resolvedBy: resolves.resolved_by }),
    ...(discarded.length === 0 ? {} : { discarded }),
    ...(moved.length === 0 ? {} : { moved }),
  };
}

async function recordBefore(ledger: Ledger, position: Position): Promise<StoredRecord> {
  for await (const record of ledger.replay(asPosition(position - 1))) return record;
  throw new Error(`assertion failed: record ${position - 1} is durable`);
}
