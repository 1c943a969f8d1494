// Garbage collection: contents that only snapshots older than the kept ones show are removed. Records stay, all of them, and
// one says from where on contents are kept, so that nothing that is gone counts as lost.

import { asPosition, type BlobId, type Position } from "../base/ids.ts";
import { err, ok, type Result } from "../base/result.ts";
import type { Clock } from "../host/clock.ts";
import type { Ledger } from "../log/ledger.ts";
import type { AppendError } from "../log/log.ts";
import type { CollectReport, MaintenanceError } from "../log/segments/segment-log.ts";
import { vcsFold } from "./fold.ts";
import { vcsRecord } from "./records.ts";
import { referencedBlobs } from "./references.ts";

/** What else needs contents of the store: workspaces, tasks, an export that is to come. */
export interface InUse {
  /** The oldest snapshot that somebody stands on; null if nobody needs more than is kept anyway. */
  readonly oldest: Position | null;
  readonly blobs: Iterable<BlobId>;
}

export interface GcOptions {
  readonly ledger: Ledger;
  readonly clock: Clock;
  /** The log's own way to let go of blobs. */
  collect(keep: (id: BlobId) => boolean): Promise<Result<CollectReport, MaintenanceError>>;
  /** Snapshots before the head whose contents stay; null keeps every snapshot. */
  readonly keepPositions: number | null;
  /** Asked in the same step in which what goes is decided. */
  inUse?(): InUse;
}

export interface GcReport extends CollectReport {
  /** The oldest snapshot whose contents are all there. */
  readonly keptFrom: Position;
}

export type GcError = AppendError | MaintenanceError | { readonly kind: "nothing-imported" };

export async function collectGarbage(options: GcOptions): Promise<Result<GcReport, GcError>> {
  const { ledger, clock, collect } = options;
  const state = ledger.state(vcsFold);
  if (state.imported === null) return err({ kind: "nothing-imported" });
  const keptFrom = oldestKept(options, state.imported.position);
  if (keptFrom > state.keptFrom) {
    // First the word, then the deed: after a crash between the two there is only more than need be.
    const record = vcsRecord(clock.now(), "collected", { kept_from: keptFrom });
    const appended = await ledger.append({ records: [record], blobs: [] });
    if (!appended.ok) return appended;
  } else {
    const flushed = await ledger.flushed();
    if (!flushed.ok) return flushed;
  }
  if (ledger.stopped !== null) return err(ledger.stopped);
  // From here to the call all in one step: what a commit names from now on is either kept or stored anew.
  const referenced = referencedBlobs(state, state.keptFrom);
  const inUse = new Set(options.inUse?.().blobs ?? []);
  const collected = await collect((id) => referenced.has(id) || inUse.has(id));
  return collected.ok ? ok({ keptFrom: state.keptFrom, ...collected.value }) : collected;
}

/** Never newer than the durable head, never older than before. */
function oldestKept({ ledger, keepPositions, inUse }: GcOptions, imported: Position): Position {
  const before = Math.max(imported, ledger.state(vcsFold).keptFrom);
  if (keepPositions === null) return asPosition(before);
  const wanted = Math.min(ledger.durable - keepPositions, inUse?.().oldest ?? ledger.durable);
  return asPosition(Math.max(before, wanted));
}
