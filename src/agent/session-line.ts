// The line format of a transcript, version 1: how an entry is written and how a line is read. Fields are snake_case; a figure
// that is not known is the string "unavailable"; every line carries the agent's id and its parent's.

import { z } from "zod";
import { unreachable } from "../base/assert.ts";
import { asCallId } from "../base/ids.ts";
import type { Message, ToolResult } from "../model/message.ts";
import type { ModelError } from "../model/provider.ts";
import type { Figure, Usage } from "../model/usage.ts";
import type { SessionEntry, SessionOwner } from "./session-entry.ts";

export const SESSION_VERSION = 1;

/** The entry as JSON without a newline. */
export function entryLine(entry: SessionEntry, owner: SessionOwner): string {
  const { agent, parent, startedBy } = owner;
  const started = entry.kind === "start" && startedBy !== undefined ? { started_by: startedBy } : {};
  return JSON.stringify({ type: entry.kind, agent, parent, ...started, ...fields(entry) });
}

/** A finished request as a transcript has it: enough to bill it. */
export interface RecordedRequest {
  readonly turn: number;
  /** How often it was sent. */
  readonly attempts: number;
  readonly provider: string;
  readonly outcome: string;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly durationMs: number;
  readonly costUsd: Figure;
  readonly usage: Usage;
}

/** What a reader of a transcript needs of a line. */
export type ReadLine =
  | { readonly kind: "start"; readonly version: number }
  | { readonly kind: "message"; readonly turn: number; readonly message: Exclude<Message, { role: "tool" }> }
  | {
      readonly kind: "result";
      readonly turn: number;
      readonly index: number;
      readonly result: ToolResult;
      readonly outcome: string;
    }
  | { readonly kind: "request"; readonly request: RecordedRequest }
  | { readonly kind: "call"; readonly turn: number; readonly index: number; readonly callId: string }
  | { readonly kind: "compaction"; readonly opening: string; readonly kept: number }
  | { readonly kind: "end"; readonly outcome: string; readonly detail: string };

/** Null for a line that is not what this program writes: torn or damaged. */
export function readLine(line: string): ReadLine | null {
  let json: unknown;
  try {
    json = JSON.parse(line);
  } catch {
    return null;
  }
  const parsed = LINE.safeParse(json);
  if (!parsed.success) return null;
  const value = parsed.data;
  switch (value.type) {
    case "start":
      return { kind: "start", version: value.version };
    case "request":
      return { kind: "request", request: recordedRequest(value) };
    case "result":
      return {
        kind: "result",
        turn: value.turn,
        index: value.index,
        outcome: value.outcome,
        result: { callId: asCallId(value.call_id), name: value.name, text: value.text, isError: value.is_error },
      };
    case "message":
      return { kind: "message", turn: value.turn, message: value.message };
    case "call":
      return { kind: "call", turn: value.turn, index: value.index, callId: value.call_id };
    case "compaction":
      return { kind: "compaction", opening: value.opening, kept: value.kept };
    case "end":
      return { kind: "end", outcome: value.outcome, detail: value.detail };
    default:
      return unreachable(value);
  }
}

function fields(entry: SessionEntry): Record<string, unknown> {
  switch (entry.kind) {
    case "start":
      return {
        version: SESSION_VERSION,
        at_ms: entry.atMs,
        role: entry.role,
        task: entry.task,
        provider: entry.provider,
        scripted: entry.scripted,
        first_turn: entry.firstTurn,
        tools: entry.tools,
        system: entry.system,
      };
    case "message":
      return { turn: entry.turn, at_ms: entry.atMs, message: entry.message };
    case "request":
      return requestFields(entry.report);
    case "result":
      return {
        turn: entry.turn,
        index: entry.index,
        call_id: entry.result.callId,
        name: entry.result.name,
        outcome: entry.outcome,
        is_error: entry.result.isError,
        queued_ms: entry.queuedMs,
        gate_ms: entry.gateMs,
        approval_ms: entry.approvalMs,
        start_ms: entry.startMs,
        end_ms: entry.endMs,
        text: entry.result.text,
      };
    case "call":
      return { turn: entry.turn, index: entry.index, call_id: entry.callId, name: entry.name, at_ms: entry.atMs };
    case "compaction":
      return {
        turn: entry.turn,
        at_ms: entry.atMs,
        how: entry.how,
        kept: entry.kept,
        tokens_before: entry.tokensBefore,
        tokens_after: entry.tokensAfter,
        opening: entry.opening,
      };
    case "end":
      return { turn: entry.turn, at_ms: entry.atMs, outcome: entry.outcome, detail: entry.detail };
    default:
      return unreachable(entry);
  }
}

function requestFields(report: Extract<SessionEntry, { kind: "request" }>["report"]): Record<string, unknown> {
  return {
    turn: report.turn,
    provider: report.provider,
    scripted: report.scripted,
    outcome: report.outcome,
    error: errorFields(report.error),
    start_ms: report.startMs,
    end_ms: report.endMs,
    duration_ms: report.durationMs,
    waited_ms: report.waitedMs,
    usage: usageFields(report.usage),
    cost_usd: report.costUsd,
    charges: report.charges.map((charge) => ({ usage: usageFields(charge.usage), cost_usd: charge.costUsd })),
    attempts: report.attempts.map((attempt) => ({
      number: attempt.number,
      outcome: attempt.outcome,
      error: errorFields(attempt.error),
      may_cost: attempt.mayCost,
      start_ms: attempt.startMs,
      waited_ms: Math.round(attempt.waitedMs),
      duration_ms: Math.round(attempt.durationMs),
    })),
  };
}

function errorFields(error: ModelError | null): Record<string, unknown> | null {
  return error === null ? null : { code: error.code, message: error.message, retry_after_ms: error.retryAfterMs };
}

function usageFields(usage: Usage): Record<string, unknown> {
  return {
    input_tokens: usage.inputTokens,
    cached_tokens: usage.cachedTokens,
    ...(usage.cacheWriteTokens === undefined ? {} : { cache_write_tokens: usage.cacheWriteTokens }),
    output_tokens: usage.outputTokens,
  };
}

const TURN = z.number().int().min(0);
const CALL = z.object({
  id: z.string().transform(asCallId),
  name: z.string(),
  arguments: z.union([
    // JSON leaves an undefined value out.
    z
      .object({ kind: z.literal("parsed"), value: z.unknown().optional() })
      .transform(({ kind, value }) => ({ kind, value })),
    z.object({ kind: z.literal("malformed"), text: z.string() }),
  ]),
});
const MESSAGE = z.discriminatedUnion("role", [
  z.object({ role: z.literal("user"), text: z.string() }),
  z.object({ role: z.literal("assistant"), text: z.string(), calls: z.array(CALL) }),
]);
const FIGURE = z.union([z.number(), z.literal("unavailable")]);
const REQUEST = z.object({
  type: z.literal("request"),
  turn: TURN,
  provider: z.string(),
  outcome: z.string(),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
  duration_ms: z.number(),
  cost_usd: FIGURE,
  /** Where the provider did not tell of them: one. */
  attempts: z
    .array(z.unknown())
    .default([])
    .transform((all) => Math.max(1, all.length)),
  usage: z.object({
    input_tokens: FIGURE,
    cached_tokens: FIGURE,
    cache_write_tokens: FIGURE.optional(),
    output_tokens: FIGURE,
  }),
});

function recordedRequest(line: z.infer<typeof REQUEST>): RecordedRequest {
  const { turn, provider, outcome, error, duration_ms: durationMs, cost_usd: costUsd, usage } = line;
  const { input_tokens: inputTokens, cached_tokens: cachedTokens, output_tokens: outputTokens } = usage;
  const written = usage.cache_write_tokens === undefined ? {} : { cacheWriteTokens: usage.cache_write_tokens };
  return {
    turn,
    attempts: line.attempts,
    provider,
    outcome,
    error,
    durationMs,
    costUsd,
    usage: { inputTokens, cachedTokens, ...written, outputTokens },
  };
}

const COUNT = z.number().int().min(0);
const LINE = z.discriminatedUnion("type", [
  z.object({ type: z.literal("start"), version: z.number().int() }),
  z.object({ type: z.literal("message"), turn: TURN, message: MESSAGE }),
  REQUEST,
  z.object({
    type: z.literal("result"),
    turn: TURN,
    index: COUNT,
    call_id: z.string(),
    name: z.string(),
    is_error: z.boolean(),
    outcome: z.string(),
    text: z.string(),
  }),
  z.object({ type: z.literal("call"), turn: TURN, index: COUNT, call_id: z.string() }),
  z.object({ type: z.literal("compaction"), opening: z.string(), kept: COUNT }),
  z.object({ type: z.literal("end"), outcome: z.string(), detail: z.string() }),
]);
