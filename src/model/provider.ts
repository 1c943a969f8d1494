// The Provider port: one model request as a stream of events. Failure is data: a stream ends in `done` or `error`, and never rejects.

import type { AgentId, TaskId } from "../base/ids.ts";
import type { Message, ToolCall, ToolSpec } from "./message.ts";
import type { Price, Usage } from "./usage.ts";

export type Role = "solo" | "planner" | "worker" | "arbiter";

/** Who asks: real providers ignore it, a script chooses its answer by it, traces carry it. */
export interface RequestContext {
  readonly agent: AgentId;
  readonly role: Role;
  /** Null for a lone agent. */
  readonly task: TaskId | null;
  /** Names that a script may call the task by: its key, and for an arbiter the keys of both sides. */
  readonly taskKeys: readonly string[];
  /** The agent's model requests so far, from 1; goes on counting when a planner is woken again. */
  readonly turn: number;
}

export interface ModelRequest {
  readonly context: RequestContext;
  readonly system: string;
  readonly messages: readonly Message[];
  readonly tools: readonly ToolSpec[];
  readonly outputTokensMax: number;
}

export interface ModelError {
  readonly kind: "model";
  readonly code:
    | "unauthorized"
    | "quota"
    | "rate-limit"
    | "overloaded"
    | "bad-request"
    | "bad-answer"
    | "network"
    | "script"
    | "other";
  readonly message: string;
  /** Milliseconds the provider asked to wait; null if it did not say. */
  readonly retryAfterMs: number | null;
}

export type StreamEvent =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "call"; readonly call: ToolCall }
  | { readonly kind: "done"; readonly stop: "end" | "calls" | "length"; readonly usage: Usage }
  | { readonly kind: "error"; readonly error: ModelError }
  /** The signal aborted before the answer was whole. */
  | { readonly kind: "aborted" };

export interface Provider {
  /** `provider/model` or `script:<file>` as the person named it. */
  readonly name: string;
  /** True where the answers are written beforehand: every screen and report then says "scripted model". */
  readonly scripted: boolean;
  /** Null where the price is not known. */
  readonly price: Price | null;
  request(request: ModelRequest, signal: AbortSignal): AsyncIterable<StreamEvent>;
}
