// What every handler of the coordinator works with, and the one way a record gets into the log.

import type { CommitKey } from "../../base/ids.ts";
import type { Result } from "../../base/result.ts";
import type { Clock } from "../../host/clock.ts";
import type { Ledger } from "../../log/ledger.ts";
import type { AppendError, NewRecord } from "../../log/log.ts";
import type { Lease } from "../../protocol/messages.ts";
import type { Vcs } from "../../vcs/engine.ts";
import type { Policy } from "../../vcs/policies/policy.ts";
import type { SplitLimits } from "../delegation.ts";
import type { RecordData, RecordType, SwarmRole } from "../records.ts";
import { swarmRecord } from "../records.ts";
import type { SwarmState, Task } from "../state.ts";
import type { RoleCaps } from "./schedule.ts";

export interface CoordinatorOptions {
  readonly socketPath: string;
  readonly models: Readonly<Record<SwarmRole, string>>;
  readonly caps: RoleCaps;
  readonly split: SplitLimits;
  /** Model requests of the whole run. */
  readonly requestsMax: number;
  /** Dollars of the whole run; null: no limit. */
  readonly budgetUsd: number | null;
  /** Wall time of this coordinator, minutes; null: no limit. */
  readonly minutesMax: number | null;
  /** Output tokens of one request, by role. */
  readonly outputTokensMax: Readonly<Record<SwarmRole, number>>;
  /** Model requests of one agent between two results. */
  readonly turnsMax: number;
  readonly beatMs: number;
  /** A host that is silent for so long is taken for dead and its leases end. */
  readonly hostSilenceMsMax: number;
  /** Leases of one task that may end without a result, by its own doing as far as can be told, before it fails. */
  readonly attemptsMax: number;
  /** Leases of one task that may end with their host by no doing of its own, before it fails. */
  readonly hostLossesMax: number;
}

export interface Context {
  readonly ledger: Ledger;
  readonly vcs: Vcs;
  readonly state: SwarmState;
  readonly clock: Clock;
  readonly options: CoordinatorOptions;
  readonly guards: LeaseGuards;
  readonly control: RunControl;
  append(records: readonly NewRecord[]): Promise<Result<void, AppendError>>;
  record<T extends RecordType>(type: T, data: RecordData<T>): NewRecord;
}

/** What becomes of requests that were let through and wait for their turn when the run stops. */
export type WaitingRequests = "given-up" | "sent";

/** How the run as a whole is going, for the handlers. */
export interface RunControl {
  /** Why no request is let through any more; null while the run goes on. */
  readonly stopping: string | null;
  /** Why those that were let through are not sent either, nor sent once more. */
  readonly holding: string | null;
  /** A limit is reached, or nobody can work on: the run stops in order. */
  stopInOrder(reason: string, waiting: WaitingRequests): void;
  /** Resolves at the next change of the state. */
  changed(): Promise<void>;
  stop(reason: string, how: "graceful" | "now"): Promise<void>;
}

/**
 * Commits on their way, by key, with the lease they are made under. As a commit policy it is asked at the moment of
 * acceptance, so a lease that ended while its commit was being merged refuses it.
 */
export class LeaseGuards implements Policy {
  readonly name = "lease";
  readonly when = "acceptance";
  readonly #state: SwarmState;
  readonly #leases = new Map<CommitKey, Lease>();

  constructor(state: SwarmState) {
    this.#state = state;
  }

  check({ request }: { readonly request: { readonly key: CommitKey } }): string | null {
    const lease = this.#leases.get(request.key);
    return lease === undefined ? "the commit names no lease" : leaseRefusal(this.#state, lease);
  }

  async during<T>(key: CommitKey, lease: Lease, act: () => Promise<T>): Promise<T> {
    this.#leases.set(key, lease);
    try {
      return await act();
    } finally {
      this.#leases.delete(key);
    }
  }
}

/** Why this lease no longer counts; null while it does. */
export function leaseRefusal(state: SwarmState, lease: Lease): string | null {
  const status = state.tasks.get(lease.task)?.status;
  if (status?.kind === "leased" && status.agent === lease.agent && status.fence === lease.fence) return null;
  return `the lease ${lease.fence} of ${lease.agent} on ${lease.task} has ended; its late results are refused`;
}

export function leasedTask(state: SwarmState, lease: Lease): Task | null {
  return leaseRefusal(state, lease) === null ? (state.tasks.get(lease.task) ?? null) : null;
}

export function makeContext(parts: Omit<Context, "append" | "record">): Context {
  return {
    ...parts,
    async append(records) {
      const appended = await parts.ledger.append({ records, blobs: [] });
      return appended.ok ? { ok: true, value: undefined } : appended;
    },
    record: (type, data) => swarmRecord(parts.clock.now(), type, data),
  };
}
