// What whoever starts a coordinator gives it and gets from it.

import type { AgentId, HostId } from "../../base/ids.ts";
import type { Clock } from "../../host/clock.ts";
import type { Net } from "../../host/net.ts";
import type { Ledger } from "../../log/ledger.ts";
import type { Vcs } from "../../vcs/engine.ts";
import type { LeaseGuards } from "./context.ts";

export interface RunEnd {
  readonly state: "finished" | "failed" | "stopped";
  readonly reason: string;
}

export type StopHow = "graceful" | "now";

export interface Coordinator {
  /** Settles once the end of the run is durable, or the store takes nothing more. Rejects for a bug. */
  readonly done: Promise<RunEnd>;
  /**
   * Ends the run; what landed stays, and it can be resumed. `graceful` lets every agent finish the call it is at; `now` ends
   * every lease at once. Resolves when the run has ended, in whatever way.
   */
  stop(reason: string, how: StopHow): Promise<void>;
  /** Lines on what each agent does now; nothing of it is kept. */
  readonly activity: ReadonlyMap<AgentId, string>;
  onChange(listener: () => void): void;
  /** Calls back with each host whose leases were ended, since it is gone or was silent for too long, while the run goes on. */
  onHostLost(listener: (host: HostId) => void): void;
  /** Whether this host has ever said hello and was taken. */
  hasJoined(host: HostId): boolean;
  /** Aborts, with the reason, when the run is told to stop after its agents' end: what follows their end is to stop then. */
  readonly stoppedLate: AbortSignal;
  close(): Promise<void>;
}

/** `killed`: by somebody else's signal, so that it is nobody's fault here. */
export type HostEnd = "killed" | "other";

export interface CoordinatorPorts {
  readonly ledger: Ledger;
  readonly vcs: Vcs;
  readonly guards: LeaseGuards;
  readonly net: Net;
  readonly clock: Clock;
  /** How a host that is gone has ended, as soon as it is known; where nobody can tell it is `other`. */
  readonly howEnded?: (host: HostId) => Promise<HostEnd>;
}
