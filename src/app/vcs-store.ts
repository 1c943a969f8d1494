// A store's log, its large contents, the ledger over both and the VCS: what every way into a store opens, and nothing of a swarm.

import { err, ok, type Result } from "../base/result.ts";
import type { Host } from "../host/host.ts";
import type { Fold } from "../log/fold.ts";
import { type LargeBlobs, openLargeBlobs, readLargeBlobs } from "../log/large-blobs.ts";
import { type Ledger, type LedgerOptions, openLedger } from "../log/ledger.ts";
import type { Log, OpenError } from "../log/log.ts";
import { startMaintenance } from "../log/maintenance.ts";
import { openLogReader, openSegmentLog, type SegmentLog } from "../log/segments/segment-log.ts";
import { withLargeBlobs } from "../log/with-large-blobs.ts";
import { openVcs, type Vcs } from "../vcs/engine.ts";
import { vcsFold } from "../vcs/fold.ts";
import type { VcsLimits } from "../vcs/limits.ts";
import type { Policy } from "../vcs/policies/policy.ts";

/** What is open, whether for writing or for reading. */
export interface OpenParts {
  readonly log: SegmentLog;
  readonly large: LargeBlobs;
  readonly ledger: Ledger;
  close(): Promise<void>;
}

export interface VcsStore extends OpenParts {
  readonly vcs: Vcs;
}

export interface VcsStoreOptions {
  /** Behind the standard ones. */
  readonly policies: readonly Policy[];
  readonly limits?: Partial<VcsLimits>;
  /** New names that differ from others only by case. Default: refused. */
  readonly caseOnlyNames?: "refuse" | "allow";
}

/** For the one writer; `held` while another process has it. */
export async function openVcsStore(
  host: Host,
  directory: string,
  { policies, limits = {}, caseOnlyNames = "refuse" }: VcsStoreOptions,
): Promise<Result<VcsStore, OpenError>> {
  const parts = await openToWrite(host, directory, [vcsFold]);
  if (!parts.ok) return parts;
  const { ledger } = parts.value;
  return ok({ ...parts.value, vcs: openVcs({ ledger, policies, clock: host.clock, limits, caseOnlyNames }) });
}

/** As it is on the disk, without the lock and without changing anything. */
export async function openVcsView(host: Host, directory: string): Promise<Result<VcsStore, OpenError>> {
  const parts = await openToRead(host, directory, [vcsFold]);
  if (!parts.ok) return parts;
  return ok({ ...parts.value, vcs: openVcs({ ledger: parts.value.ledger, policies: [], clock: host.clock }) });
}

/** The writer also looks after the store: checkpoints and sealing, until it is closed. */
export async function openToWrite(
  host: Host,
  directory: string,
  folds: readonly Fold<unknown>[],
  options: LedgerOptions = {},
): Promise<Result<OpenParts, OpenError>> {
  const { files, locks, random, clock } = host;
  const log = await openSegmentLog({ files, locks, random, directory });
  if (!log.ok) return log;
  const opened = await overLog(log.value, await openLargeBlobs(files, directory), folds, options);
  if (!opened.ok) return opened;
  const maintenance = startMaintenance({ ledger: opened.value.ledger, log: log.value, clock });
  return ok({
    ...opened.value,
    async close() {
      await maintenance.stop({ checkpoint: true });
      await log.value.close();
    },
  });
}

export async function openToRead(
  host: Host,
  directory: string,
  folds: readonly Fold<unknown>[],
  options: LedgerOptions = {},
): Promise<Result<OpenParts, OpenError>> {
  const log = await openLogReader({ files: host.files, directory });
  if (!log.ok) return log;
  return overLog(log.value, await readLargeBlobs(host.files, directory), folds, options);
}

async function overLog(
  log: SegmentLog,
  large: Awaited<ReturnType<typeof readLargeBlobs>>,
  folds: readonly Fold<unknown>[],
  options: LedgerOptions,
): Promise<Result<OpenParts, OpenError>> {
  const ledger = large.ok
    ? await replay(withLargeBlobs(log, large.value), folds, options)
    : err(`${large.error.path}: ${large.error.message}`);
  if (large.ok && ledger.ok) return ok({ log, large: large.value, ledger: ledger.value, close: () => log.close() });
  await log.close();
  return err({ kind: "io", message: ledger.ok ? "the large contents cannot be listed" : ledger.error });
}

async function replay(
  log: Log,
  folds: readonly Fold<unknown>[],
  options: LedgerOptions,
): Promise<Result<Ledger, string>> {
  try {
    return ok(await openLedger(log, folds, options));
  } catch (error) {
    // The log was sound when it was opened: the disk has gone bad since, or a record is not ours.
    return err(error instanceof Error ? error.message : String(error));
  }
}
