// A run's store: log, folds, VCS. Whoever opens it for writing is the coordinator; everybody may read what is on the disk.

import { err, ok, type Result } from "../base/result.ts";
import type { Host } from "../host/host.ts";
import type { Fold } from "../log/fold.ts";
import type { Ledger } from "../log/ledger.ts";
import type { OpenError } from "../log/log.ts";
import { isObjectWith, plainCodec } from "../log/plain-codec.ts";
import { commitPolicies } from "../swarm/coordinator/commit-policies.ts";
import { LeaseGuards } from "../swarm/coordinator/context.ts";
import { swarmFold } from "../swarm/state.ts";
import { openVcs, type Vcs } from "../vcs/engine.ts";
import { vcsFold } from "../vcs/fold.ts";
import { casePolicy } from "../vcs/policies/case.ts";
import type { Policy } from "../vcs/policies/policy.ts";
import { runOptionsFold } from "./run-options.ts";
import { openToRead, openToWrite, type VcsStore } from "./vcs-store.ts";

export interface StoreView {
  readonly ledger: Ledger;
  readonly vcs: Vcs;
}

export interface Store extends VcsStore {
  readonly guards: LeaseGuards;
  /** New names that differ from others only by case are refused until this is called: a resumed run's settings come out of its store. */
  allowCaseOnlyNames(): void;
}

export async function openStore(host: Host, directory: string): Promise<Result<Store, OpenError>> {
  const parts = await openToWrite(host, directory, runFolds, { strict: true });
  if (!parts.ok) return parts;
  const { ledger } = parts.value;
  const state = ledger.state(swarmFold);
  const guards = new LeaseGuards(state);
  let caseOnlyNames: "refuse" | "allow" = "refuse";
  const unlessAllowed: Policy = {
    ...casePolicy,
    check: (proposal) => (caseOnlyNames === "allow" ? null : casePolicy.check(proposal)),
  };
  const policies = [unlessAllowed, ...commitPolicies(state, guards)];
  const vcs = openVcs({ ledger, policies, clock: host.clock, caseOnlyNames: "allow" });
  const allowCaseOnlyNames = (): void => {
    caseOnlyNames = "allow";
  };
  return ok({ ...parts.value, vcs, guards, allowCaseOnlyNames });
}

/** Reads the store as it is on the disk, without the lock and without changing anything; closed when `act` has answered. */
export async function withStoreView<T>(
  host: Host,
  directory: string,
  act: (view: StoreView) => Promise<T>,
): Promise<Result<T, string>> {
  const parts = await openToRead(host, directory, runFolds, { strict: true });
  if (!parts.ok) return err(parts.error.message);
  const { ledger, close } = parts.value;
  try {
    return ok(await act({ ledger, vcs: openVcs({ ledger, policies: [], clock: host.clock }) }));
  } finally {
    await close();
  }
}

/** When the last record was written, milliseconds since the epoch; null before the first. */
export const lastMsFold: Fold<{ lastMs: number | null }> = {
  name: "last-ms",
  version: 1,
  codec: plainCodec((value): value is { lastMs: number | null } => isObjectWith(value, "lastMs")),
  initial: () => ({ lastMs: null }),
  apply(state, { atMs }) {
    state.lastMs = atMs;
  },
};

const runFolds: readonly Fold<unknown>[] = [vcsFold, swarmFold, runOptionsFold, lastMsFold];
