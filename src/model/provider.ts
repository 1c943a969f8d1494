// The Provider port: one model request as a stream of events. Failure is data: a stream ends in `done`, `error` or `aborted`, and
// never rejects. A provider that asks again after a failure says so with `attempt` events, so that nothing is taken twice.

import type { AgentId, TaskId } from "../base/ids.ts";
import type { Message, ToolCall, ToolSpec } from "./message.ts";
import type { Price, Usage } from "./usage.ts";

export type Role = "solo" | "child" | "planner" | "worker" | "arbiter";

/** Who asks: real providers ignore it, a script chooses its answer by it, traces carry it. */
export interface RequestContext {
  readonly agent: AgentId;
  /** Who delegated to the agent; null for one that nobody did. */
  readonly parent: AgentId | null;
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
    /** No such model, or no such address at this server. */
    | "not-found"
    /** The model or a content filter would not answer; what it read may be charged. */
    | "refusal"
    | "bad-answer"
    /** A sound answer that says nothing to go on with: empty, or cut off again and again. */
    | "no-content"
    /** No connection came about: nothing was sent, so that nothing is charged. */
    | "unreachable"
    /** A connection that broke; what was sent may be charged. */
    | "network"
    | "script"
    /** A recording has no answer to this request. */
    | "replay"
    | "other";
  readonly message: string;
  /** Milliseconds the provider asked to wait; null if it did not say. */
  readonly retryAfterMs: number | null;
  /** Set where nobody bills for it, whatever the code: an HTTP error or something that is no answer of a model came instead of a stream. */
  readonly uncharged?: true;
  /** Set where nothing came for as long as is waited for: asking again and again would take hours. */
  readonly silent?: true;
}

/** One try at a request, over: it gave the answer, failed or was aborted. */
export interface AttemptReport {
  /** From 1. */
  readonly number: number;
  readonly outcome: "end" | "calls" | "length" | "error" | "aborted";
  readonly error: ModelError | null;
  /** False only where the provider surely charges nothing: it refused before it said anything. `usage` is then all 0. */
  readonly mayCost: boolean;
  /** What the provider said; unavailable where it did not, as in a stream that broke. */
  readonly usage: Usage;
  /** When it was sent: wall time, milliseconds since the epoch. */
  readonly startMs: number;
  /** Milliseconds spent before it, in pauses and in the queue; not part of `durationMs`. */
  readonly waitedMs: number;
  /** Milliseconds from sending to the end. */
  readonly durationMs: number;
}

/** Where a request that may be tried several times stands. */
export type AttemptState =
  /** Nothing of this attempt has been sent yet. */
  | { readonly kind: "waiting"; readonly number: number }
  | { readonly kind: "started"; readonly number: number; readonly waitedMs: number }
  | { readonly kind: "ended"; readonly report: AttemptReport };

export type StreamEvent =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "call"; readonly call: ToolCall }
  | { readonly kind: "done"; readonly stop: "end" | "calls" | "length"; readonly usage: Usage }
  | { readonly kind: "error"; readonly error: ModelError }
  /**
   * Where `ended` reports an error, all that was said before it is void: another attempt follows, or the stream ends in an error.
   * Only providers that try again (`limited`) say this. A call comes after its attempt has ended well, never before.
   */
  | { readonly kind: "attempt"; readonly attempt: AttemptState }
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
