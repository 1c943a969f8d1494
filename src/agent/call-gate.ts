// The port of the person's approval before a call. It stands once the calls before have ended and before the call's lock, so that a
// question keeps nobody else waiting; calls that run together pass it together. Hooks have been asked before.

import type { AgentId } from "../base/ids.ts";
import type { ToolCall, ToolResult } from "../model/message.ts";
import type { HookDecision } from "./call-hooks.ts";
import type { CallOutcome } from "./session-entry.ts";

export interface GatedCall {
  readonly agent: AgentId;
  readonly parent: AgentId | null;
  readonly turn: number;
  /** Place in its response, from 0: records can be put into request order by it. */
  readonly index: number;
  /** With the arguments that hooks may have changed. */
  readonly call: ToolCall;
  /** What the person's hooks said of it; null where they said nothing, or there are none. */
  readonly hook: HookDecision | null;
}

export type GateVerdict =
  | { readonly kind: "go" }
  /** The call gets the reason as its result; its siblings go on. */
  | { readonly kind: "refuse"; readonly reason: string };

export interface CallGate {
  /** Once for each call that would run. A verdict that comes after the signal aborted is not acted on. Must not reject. */
  before(call: GatedCall, signal: AbortSignal): Promise<GateVerdict>;
  /** Once for each call that ran, when its result is known and before it is recorded. Must not reject. */
  after(call: GatedCall, result: ToolResult, outcome: CallOutcome): Promise<void>;
}
