// The port to the person's hooks around an agent: before and after each of its calls, and where it would end or its history is made
// shorter. Invariant: a call's hooks before it run once, in the step in which its claim is made, so that what they change is claimed.

import type { AgentId } from "../base/ids.ts";
import type { ToolCall, ToolResult } from "../model/message.ts";
import type { CallOutcome } from "./session-entry.ts";

export interface HookedCall {
  readonly agent: AgentId;
  readonly parent: AgentId | null;
  readonly turn: number;
  /** Place in its response, from 0. */
  readonly index: number;
  readonly call: ToolCall;
}

/** What a hook said of the person's approval: `allow` asks nobody where no rule forbids the call, `ask` asks whatever the rules say. */
export type HookDecision = "allow" | "ask";

export type BeforeCall =
  | {
      readonly kind: "go";
      /** The call's arguments, as a hook may have changed them. */
      readonly input: unknown;
      readonly decision: HookDecision | null;
      /** For the model, beside the call's result; empty for nothing. */
      readonly context: string;
    }
  /** The call gets the reason as its result; its siblings go on. */
  | { readonly kind: "refuse"; readonly reason: string }
  /** The same, and the agent ends once this response's results are recorded. */
  | { readonly kind: "end"; readonly reason: string };

export interface AfterCall {
  /** For the model, beside the call's result; empty for nothing. */
  readonly context: string;
  /** Why the agent ends once this response's results are recorded; null to go on. */
  readonly end: string | null;
}

export type BeforeStop =
  | { readonly kind: "stop" }
  /** The agent goes on with the reason as the next thing it is told. */
  | { readonly kind: "go-on"; readonly reason: string };

/** One command of a hook, over. */
export interface HookRun {
  readonly event: string;
  readonly command: string;
  readonly outcome: "ok" | "blocked" | "error" | "timed-out" | "cancelled" | "not-started";
  /** Null where a signal ended it or it never began. */
  readonly exitCode: number | null;
  /** Wall time, milliseconds since the epoch. */
  readonly startMs: number;
  readonly durationMs: number;
}

/** None of these rejects, and each returns soon after the signal aborts: its answer is then not acted on. */
export interface CallHooks {
  /** Whether any hook is asked before calls. */
  readonly looksAtCalls: boolean;
  beforeCall(call: HookedCall, signal: AbortSignal): Promise<BeforeCall & { readonly runs: readonly HookRun[] }>;
  /** For a call that ran, while it holds its lock: what a hook changes of its files is whole before anybody else sees them. */
  afterCall(
    call: HookedCall,
    ran: { readonly result: ToolResult; readonly outcome: CallOutcome; readonly durationMs: number },
    signal: AbortSignal,
  ): Promise<AfterCall & { readonly runs: readonly HookRun[] }>;
  /** The agent has said its last words. */
  beforeStop(text: string, signal: AbortSignal): Promise<BeforeStop>;
  /** False where a hook keeps the history as it is. */
  beforeCompaction(signal: AbortSignal): Promise<boolean>;
  /** What is to be said after the summary; empty for nothing. */
  afterCompaction(summary: string, signal: AbortSignal): Promise<string>;
}
