// What an agent's run is given and what it answers: spec and ports in, events while it goes on, one AgentResult out.
// Every way a run can end is a member of AgentResult; a run rejects only for a bug.

import type { AgentId, CallId, TaskId } from "../base/ids.ts";
import type { Result } from "../base/result.ts";
import type { Clock } from "../host/clock.ts";
import type { FileError } from "../host/files.ts";
import type { Message, ToolCall, ToolResult, ToolSpec } from "../model/message.ts";
import type { AttemptState, ModelError, Provider, Role } from "../model/provider.ts";
import type { Usage } from "../model/usage.ts";
import type { CallGate } from "./call-gate.ts";
import type { CallHooks } from "./call-hooks.ts";
import type { Notices } from "./notices.ts";
import type { RequestReport } from "./request-report.ts";
import type { RunningCalls } from "./running-calls.ts";
import { callsAtOnceMax } from "./schedule.ts";
import type { CallOutcome, SessionLog } from "./session-entry.ts";
import type { PendingCalls } from "./session-history.ts";
import type { Tool } from "./tool.ts";
import type { Totals } from "./totals.ts";
import type { AgentTrace } from "./trace.ts";
import type { TreeLocks } from "./tree-locks.ts";

export interface AgentLimits {
  /** Model requests that this run may make. Requests of earlier runs (`firstTurn`) do not count: subtract them where they should. */
  readonly turnsMax: number;
  /** Output tokens of one request. */
  readonly outputTokensMax: number;
  /** The same calls with the same results this many times in a row end the run as `no-progress`; at least 2. */
  readonly repeatsMax: number;
  /** UTF-16 units of one tool result as the model sees it. */
  readonly resultCharsMax: number;
  /** Calls of one response that run at the same time; 1 runs them one after another. */
  readonly callsAtOnceMax: number;
  /**
   * Tokens of the model's window, input and output together. Before a request would pass it the history is compacted; null
   * where it is not known: then only after the provider refused a request as too long.
   */
  readonly contextTokens: number | null;
}

export const AGENT_LIMITS: AgentLimits = {
  turnsMax: 200,
  outputTokensMax: 16_384,
  repeatsMax: 5,
  resultCharsMax: 30_000,
  callsAtOnceMax,
  contextTokens: null,
};

export interface AgentSpec {
  readonly agent: AgentId;
  /** Who delegated to it; null for one that nobody did. */
  readonly parent: AgentId | null;
  readonly role: Role;
  readonly task: TaskId | null;
  /** Names a script may call the task by. */
  readonly taskKeys: readonly string[];
  readonly system: string;
  /** The history so far: it ends with a user message, with the results of the last answer's calls or, if they are `pending`, with that answer. */
  readonly messages: readonly Message[];
  /** Calls of the last message, a recorded answer, that are run before anything is asked: how a session goes on after a crash. */
  readonly pending?: PendingCalls;
  /** The history ends with an answer without calls, after which it waited for what was going on in the background: so it does again. */
  readonly waiting?: boolean;
  /** What the person says once the pending calls have their results. */
  readonly afterPending?: string;
  /** How many of `messages` the session log has already: 0 for a new session, all loaded ones for a resumed one. */
  readonly messagesRecorded: number;
  /** Model requests that this agent has made before this run. */
  readonly firstTurn: number;
  readonly tools: readonly Tool[];
  readonly limits: AgentLimits;
}

export type AgentEvent =
  | { readonly kind: "request-started"; readonly turn: number }
  /** A piece of the answer's text as it streams. */
  | { readonly kind: "text"; readonly turn: number; readonly text: string }
  /** Behind a limiter: the request waits, is sent, or an attempt is over. After one that failed, the text of this turn so far is void. */
  | { readonly kind: "attempt"; readonly turn: number; readonly attempt: AttemptState }
  | { readonly kind: "request-ended"; readonly turn: number; readonly report: RequestReport }
  | { readonly kind: "call-started"; readonly turn: number; readonly call: ToolCall }
  /** In the order of finishing: records and history are in request order. */
  | { readonly kind: "call-ended"; readonly turn: number; readonly result: ToolResult; readonly outcome: CallOutcome }
  /** A tool threw: a bug of ours that the model was told of as an error result. */
  | { readonly kind: "internal-error"; readonly turn: number; readonly call: ToolCall; readonly message: string }
  /** The context is nearly full: a summary of its older part is asked for. */
  | { readonly kind: "compaction-started"; readonly turn: number; readonly tokensBefore: number }
  /** `digest`: the model gave no summary, so that the older part was shortened without it; `none`: it would not have become shorter. */
  | {
      readonly kind: "compacted";
      readonly turn: number;
      readonly how: "summary" | "digest" | "none";
      readonly tokensBefore: number;
      readonly tokensAfter: number;
    }
  | { readonly kind: "ended"; readonly turn: number; readonly outcome: AgentResult["kind"] };

export interface SpilledText {
  readonly agent: AgentId;
  readonly callId: CallId;
  readonly text: string;
}

/** Saves the full text of a capped result; answers a path that the agent's read tools accept. */
export type Spill = (full: SpilledText) => Promise<Result<string, FileError>>;

export interface AgentPorts {
  readonly provider: Provider;
  readonly clock: Clock;
  readonly record: SessionLog;
  readonly spill: Spill;
  /** Aborts the run: what runs is stopped, what has not started gets a `cancelled` result. */
  readonly signal: AbortSignal;
  /** Why `signal` aborted, where it was a limit: the run then ends as `budget` with this reason. Null where somebody cancelled it. */
  readonly limitReached?: () => string | null;
  /** Shared by all agents that work in one tree; left out, the agent has its own. */
  readonly locks?: TreeLocks;
  /** The person's hooks: asked before the gate. */
  readonly hooks?: CallHooks;
  readonly gate?: CallGate;
  readonly trace?: AgentTrace;
  /** Where a person can cancel a call of the run. */
  readonly running?: RunningCalls;
  /** What comes for the agent from elsewhere while it works. */
  readonly notices?: Notices;
  /** Once the history has been made shorter: what is said after the summary; empty for nothing. Must not reject. */
  readonly compacted?: () => Promise<string>;
  /** Must not throw. */
  readonly onEvent?: (event: AgentEvent) => void;
  /** Asked before each request. A leave to go may go unused: the run may be cancelled, or killed, before the request is made. */
  readonly beforeRequest?: (plan: RequestPlan) => Promise<RequestLeave>;
  /**
   * Told of each finished request, failed and aborted ones included, once it is recorded with its answer and before its calls run;
   * `unrecorded` says why that was not possible: the run then ends, and its answer is lost. Null where all is well.
   */
  readonly afterRequest?: (report: RequestReport, unrecorded: FileError | null) => Promise<void>;
}

/** A request that is about to be made, for whoever keeps a budget. */
export interface RequestPlan {
  readonly turn: number;
  readonly system: string;
  readonly messages: readonly Message[];
  readonly tools: readonly ToolSpec[];
  readonly outputTokensMax: number;
  /** Of this run's last answer, whose messages are all in `messages`; null before the first. Its figures may be unavailable. */
  readonly lastUsage: Usage | null;
}

export type RequestLeave =
  /** May be made, with at most so many tokens of output: from 1 to those planned. */
  | { readonly kind: "go"; readonly outputTokensMax: number }
  /** Must not be made (a budget, a limit, a run that stops): the run ends as `budget` with the reason. */
  | { readonly kind: "stop"; readonly reason: string };

/** What every ending carries. `messages` is the whole history: each call in it has its result. */
export interface AgentSums {
  readonly messages: readonly Message[];
  /** Requests of this run. */
  readonly requests: number;
  /** The turn of the last request made, an aborted one included: the next run's `firstTurn`. */
  readonly turn: number;
  readonly totals: Totals;
}

export type AgentEnding =
  /** A tool ended the run with its value. */
  | { readonly kind: "ended"; readonly value: unknown }
  /** The model ended its turn without a call. */
  | { readonly kind: "stopped"; readonly text: string }
  | { readonly kind: "turn-limit"; readonly turnsMax: number }
  | { readonly kind: "no-progress"; readonly reason: string }
  | { readonly kind: "model-error"; readonly error: ModelError }
  | { readonly kind: "budget"; readonly reason: string }
  | { readonly kind: "cancelled" }
  /** A hook of the person's said that it should not go on. */
  | { readonly kind: "hook"; readonly reason: string }
  /** The session log could not be written: nothing is done that cannot be recorded. */
  | { readonly kind: "record-failed"; readonly error: FileError };

export type AgentResult = AgentEnding & AgentSums;
