// Opens a run's store for its one writer: log, folds, VCS. Whoever holds it is the coordinator.

import { err, ok, type Result } from "../base/result.ts";
import type { Host } from "../host/host.ts";
import { type Ledger, openLedger } from "../log/ledger.ts";
import type { OpenError } from "../log/log.ts";
import { openSegmentLog } from "../log/segments/segment-log.ts";
import { LeaseGuards } from "../swarm/coordinator/context.ts";
import { swarmFold } from "../swarm/state.ts";
import { openVcs, type Vcs } from "../vcs/engine.ts";
import { vcsFold } from "../vcs/fold.ts";

export interface Store {
  readonly ledger: Ledger;
  readonly vcs: Vcs;
  readonly guards: LeaseGuards;
  close(): Promise<void>;
}

export async function openStore(host: Host, directory: string): Promise<Result<Store, OpenError>> {
  const log = await openSegmentLog({ files: host.files, locks: host.locks, random: host.random, directory });
  if (!log.ok) return err(log.error);
  let ledger: Ledger;
  try {
    ledger = await openLedger(log.value, [vcsFold, swarmFold]);
  } catch (error) {
    // The log was sound when it was opened: the disk has gone bad since, or a record is not ours.
    await log.value.close();
    return err({ kind: "io", message: error instanceof Error ? error.message : String(error) });
  }
  const guards = new LeaseGuards(ledger.state(swarmFold));
  const vcs = openVcs({ ledger, policies: [guards], clock: host.clock });
  return ok({ ledger, vcs, guards, close: () => log.value.close() });
}
