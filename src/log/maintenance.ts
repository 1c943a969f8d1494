// When a store looks after itself: checkpoints once enough has been written since the last, sealing when little is going on.
// Nothing of it is needed for correctness; what fails is told, and tried again later.

import type { Clock } from "../host/clock.ts";
import type { Ledger } from "./ledger.ts";
import type { SegmentLog } from "./segments/segment-log.ts";

export interface MaintenanceOptions {
  readonly ledger: Ledger;
  readonly log: SegmentLog;
  readonly clock: Clock;
  /** A sentence about what could not be done. */
  onNote?(note: string): void;
  readonly limits?: Partial<MaintenanceLimits>;
}

export interface MaintenanceLimits {
  /** Between two looks. */
  readonly lookMs: number;
  /** So many new records call for a checkpoint even under load. */
  readonly checkpointRecordsMin: number;
  /** So many looks in a row between which nothing was written make a store idle: whoever has just opened it is about to write. */
  readonly idleLooksMin: number;
  /** While it is idle, so many new records do. */
  readonly idleRecordsMin: number;
  /** From so many full segments on, one is taken apart at each look even under load; from twice as many on, all that are more. */
  readonly plainSegmentsMax: number;
}

export const maintenanceLimits: MaintenanceLimits = {
  lookMs: 2_000,
  checkpointRecordsMin: 50_000,
  idleLooksMin: 5,
  idleRecordsMin: 5_000,
  plainSegmentsMax: 128,
};

export interface RunningMaintenance {
  /** Ends it; what is under way comes to its end first. With `checkpoint` one is written if it is worth it. */
  stop(options?: { readonly checkpoint?: boolean }): Promise<void>;
}

export function startMaintenance(options: MaintenanceOptions): RunningMaintenance {
  const { ledger, log, clock } = options;
  const limits = { ...maintenanceLimits, ...options.limits };
  let saved = log.saved?.position ?? 0;
  let seen = Number(ledger.end);
  let timer: { cancel(): void } | null = null;
  let working: Promise<void> = Promise.resolve();
  let isStopped = false;
  let idleLooks = 0;

  async function checkpoint(recordsMin: number): Promise<void> {
    // As far apart as what was there before is long: so all of a store's checkpoints together cost no more than a few of it.
    const due = Math.max(recordsMin, saved / checkpointShare);
    if (ledger.stopped !== null || ledger.end - saved < due) return;
    const written = await ledger.checkpoint();
    if (written.ok) saved = written.value.position;
    else if (ledger.stopped === null) options.onNote?.(`no checkpoint was written: ${wordsOf(written.error)}`);
  }

  async function look(): Promise<void> {
    idleLooks = ledger.end === seen ? idleLooks + 1 : 0;
    seen = ledger.end;
    const isIdle = idleLooks >= limits.idleLooksMin;
    await checkpoint(isIdle ? limits.idleRecordsMin : limits.checkpointRecordsMin);
    // One after the other: who begins to write meanwhile waits for one at most.
    const isQuiet = (): boolean => isIdle && ledger.end === seen;
    const plainMax = (): number => (isQuiet() ? 1 : limits.plainSegmentsMax);
    while (!isStopped && ledger.stopped === null && log.stats().segments.plain > plainMax()) {
      const sealed = await log.seal(1);
      if (!sealed.ok) options.onNote?.(`full segments were left as they are: ${sealed.error.message}`);
      if (!sealed.ok || sealed.value.sealed === 0) return;
      if (!isQuiet() && log.stats().segments.plain <= 2 * limits.plainSegmentsMax) return;
    }
  }

  function wait(): void {
    timer = clock.after(limits.lookMs, () => {
      working = look().finally(() => {
        if (!isStopped) wait();
      });
    });
  }

  wait();
  return {
    async stop({ checkpoint: last = false } = {}) {
      isStopped = true;
      timer?.cancel();
      await working;
      if (last) await checkpoint(limits.idleRecordsMin);
    },
  };
}

const checkpointShare = 4;

function wordsOf(error: { readonly kind: string } & ({ readonly message: string } | object)): string {
  return "message" in error ? error.message : error.kind;
}
