// A run's store: log, folds, VCS. Whoever opens it for writing is the coordinator; everybody may read what is on the disk.

import { err, ok, type Result } from "../base/result.ts";
import type { Host } from "../host/host.ts";
import type { Fold } from "../log/fold.ts";
import { type Ledger, openLedger } from "../log/ledger.ts";
import type { OpenError } from "../log/log.ts";
import { openLogReader, openSegmentLog, type SegmentLog } from "../log/segments/segment-log.ts";
import { LeaseGuards } from "../swarm/coordinator/context.ts";
import { swarmFold } from "../swarm/state.ts";
import { openVcs, type Vcs } from "../vcs/engine.ts";
import { vcsFold } from "../vcs/fold.ts";
import { runOptionsFold } from "./run-options.ts";

export interface StoreView {
  readonly ledger: Ledger;
  readonly vcs: Vcs;
}

export interface Store extends StoreView {
  readonly guards: LeaseGuards;
  close(): Promise<void>;
}

export async function openStore(host: Host, directory: string): Promise<Result<Store, OpenError>> {
  const log = await openSegmentLog({ files: host.files, locks: host.locks, random: host.random, directory });
  if (!log.ok) return err(log.error);
  const ledger = await replay(log.value);
  if (!ledger.ok) {
    await log.value.close();
    return err({ kind: "io", message: ledger.error });
  }
  const guards = new LeaseGuards(ledger.value.state(swarmFold));
  const vcs = openVcs({ ledger: ledger.value, policies: [guards], clock: host.clock });
  return ok({ ledger: ledger.value, vcs, guards, close: () => log.value.close() });
}

/** Reads the store as it is on the disk, without the lock and without changing anything; closed when `act` has answered. */
export async function withStoreView<T>(
  host: Host,
  directory: string,
  act: (view: StoreView) => Promise<T>,
): Promise<Result<T, string>> {
  const log = await openLogReader({ files: host.files, directory });
  if (!log.ok) return err(log.error.message);
  try {
    const ledger = await replay(log.value);
    if (!ledger.ok) return ledger;
    return ok(
      await act({ ledger: ledger.value, vcs: openVcs({ ledger: ledger.value, policies: [], clock: host.clock }) }),
    );
  } finally {
    await log.value.close();
  }
}

/** When the last record was written, milliseconds since the epoch; null before the first. */
export const lastMsFold: Fold<{ lastMs: number | null }> = {
  name: "last-ms",
  version: 1,
  initial: () => ({ lastMs: null }),
  apply(state, { atMs }) {
    state.lastMs = atMs;
  },
};

async function replay(log: SegmentLog): Promise<Result<Ledger, string>> {
  try {
    return ok(await openLedger(log, [vcsFold, swarmFold, runOptionsFold, lastMsFold]));
  } catch (error) {
    // The log was sound when it was opened: the disk has gone bad since, or a record is not ours.
    return err(error instanceof Error ? error.message : String(error));
  }
}
