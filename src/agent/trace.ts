// The port to a run's traces: one record a model request and one a call, over all agents, each with who it was and whose child.
// Invariant: an agent's calls of one response come in request order, whichever ended first; times of waiting, hooks, approval and
// execution are apart.

import type { AgentId, CallId } from "../base/ids.ts";
import type { Figure } from "../model/usage.ts";
import type { HookRun } from "./call-hooks.ts";
import type { RequestReport } from "./request-report.ts";
import type { CallOutcome } from "./session-entry.ts";

export interface Traced {
  readonly agent: AgentId;
  readonly parent: AgentId | null;
}

export interface CallTrace {
  readonly turn: number;
  /** Place in its response, from 0. */
  readonly index: number;
  readonly callId: CallId;
  readonly name: string;
  readonly outcome: CallOutcome;
  /** When its response was whole: wall time, milliseconds since the epoch. */
  readonly queuedAtMs: Figure;
  /** Of its execution; unavailable for a call that never ran. */
  readonly startedAtMs: Figure;
  readonly endedAtMs: Figure;
  readonly spent: CallTimes;
  /** Commands of hooks before and after it, in the order of their configuration. */
  readonly hooks: readonly HookRun[];
}

/** Milliseconds; together the time from the whole response to the call's result. */
export interface CallTimes {
  /** Behind other calls: for its turn, a place and its lock. */
  readonly waitingMs: Figure;
  readonly hookMs: number;
  /** For the person's approval. */
  readonly approvalMs: number;
  readonly executionMs: Figure;
}

/** None of these throws; what cannot be written costs the run nothing. */
export interface AgentTrace {
  request(who: Traced, report: RequestReport): void;
  call(who: Traced, call: CallTrace): void;
  hooks(who: Traced, runs: readonly HookRun[]): void;
}
