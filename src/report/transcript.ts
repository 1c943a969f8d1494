// Reads an agent's transcript (`agents/<id>.jsonl`, version 1) for reports: what was said and done, and when. Each line stands for
// itself, and one that cannot be read is counted, never guessed. Texts are as they were written: whoever shows them cleans them.

import { z } from "zod";
import { unreachable } from "../base/assert.ts";

/** A number, or that nobody knows it: never 0 for unknown. */
export type Known = number | "unavailable";

export interface TokenCounts {
  readonly inputTokens: Known;
  readonly cachedTokens: Known;
  readonly outputTokens: Known;
}

export interface TranscriptCall {
  readonly id: string;
  readonly name: string;
  /** `malformed` is the text of arguments that were no JSON. */
  readonly arguments:
    | { readonly kind: "parsed"; readonly value: unknown }
    | { readonly kind: "malformed"; readonly text: string };
}

/** Times are milliseconds since the epoch. */
export type TranscriptLine =
  | {
      readonly kind: "start";
      readonly agent: string;
      readonly parent: string | null;
      /** The parent's call that it answers; null for none, or where the transcript does not say. */
      readonly startedBy: { readonly turn: number; readonly index: number } | null;
      readonly atMs: number;
      readonly role: string;
      readonly provider: string;
      readonly scripted: boolean;
      readonly system: string;
      readonly tools: readonly string[];
    }
  | { readonly kind: "user"; readonly turn: number; readonly atMs: number; readonly text: string }
  | {
      readonly kind: "assistant";
      readonly turn: number;
      readonly atMs: number;
      readonly text: string;
      readonly calls: readonly TranscriptCall[];
    }
  | {
      readonly kind: "request";
      readonly turn: number;
      readonly provider: string;
      readonly outcome: string;
      readonly error: string | null;
      readonly startMs: number;
      readonly endMs: number;
      /** Of the time from start to end, what was spent in queues and pauses before anything was asked. */
      readonly waitedMs: number;
      readonly tokens: TokenCounts;
      readonly costUsd: Known;
    }
  | {
      readonly kind: "result";
      readonly turn: number;
      readonly index: number;
      readonly callId: string;
      readonly name: string;
      readonly outcome: string;
      readonly isError: boolean;
      readonly text: string;
      readonly queuedMs: Known;
      /** Milliseconds before it in hooks and for the person's approval, and of them those for the approval; older transcripts lack it. */
      readonly gateMs: Known;
      readonly approvalMs: Known;
      readonly startMs: Known;
      readonly endMs: Known;
    }
  | {
      readonly kind: "compaction";
      readonly turn: number;
      readonly atMs: number;
      readonly opening: string;
      readonly kept: number;
    }
  | { readonly kind: "end"; readonly atMs: number; readonly outcome: string; readonly detail: string };

export interface Transcript {
  readonly agent: string;
  readonly parent: string | null;
  readonly lines: readonly TranscriptLine[];
  /** Lines passed over: torn by a crash, damaged, or of a kind that this version does not know. */
  readonly linesUnread: number;
}

/** Null where no line says whose transcript it is. `call` lines are left out: the answer before them holds the calls. */
export function readTranscript(text: string): Transcript | null {
  const rows = text.split("\n").filter((line) => line !== "");
  const read = rows.map(readLine);
  const lines = read.flatMap((line) => (line === null || line === "left-out" ? [] : [line]));
  const start = lines.find((line) => line.kind === "start");
  if (start === undefined) return null;
  return { agent: start.agent, parent: start.parent, lines, linesUnread: read.filter((line) => line === null).length };
}

const COUNT = z.number().int().min(0);
const KNOWN = z.union([z.number(), z.literal("unavailable")]);
const CALL = z.object({
  id: z.string(),
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
const LINE = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("start"),
    agent: z.string(),
    parent: z.string().nullable(),
    started_by: z.object({ turn: COUNT, index: COUNT }).optional(),
    at_ms: z.number(),
    role: z.string(),
    provider: z.string(),
    scripted: z.boolean(),
    system: z.string(),
    tools: z.array(z.string()),
  }),
  z.object({ type: z.literal("message"), turn: COUNT, at_ms: z.number(), message: MESSAGE }),
  z.object({
    type: z.literal("request"),
    turn: COUNT,
    provider: z.string(),
    outcome: z.string(),
    error: z.object({ code: z.string(), message: z.string() }).nullable(),
    start_ms: z.number(),
    end_ms: z.number(),
    waited_ms: z.number().min(0),
    usage: z.object({ input_tokens: KNOWN, cached_tokens: KNOWN, output_tokens: KNOWN }),
    cost_usd: KNOWN,
  }),
  z.object({
    type: z.literal("result"),
    turn: COUNT,
    index: COUNT,
    call_id: z.string(),
    name: z.string(),
    outcome: z.string(),
    is_error: z.boolean(),
    queued_ms: KNOWN,
    gate_ms: KNOWN.default("unavailable"),
    approval_ms: KNOWN.default("unavailable"),
    start_ms: KNOWN,
    end_ms: KNOWN,
    text: z.string(),
  }),
  z.object({ type: z.literal("call") }),
  z.object({ type: z.literal("compaction"), turn: COUNT, at_ms: z.number(), opening: z.string(), kept: COUNT }),
  z.object({ type: z.literal("end"), at_ms: z.number(), outcome: z.string(), detail: z.string() }),
]);

function readLine(row: string): TranscriptLine | "left-out" | null {
  let json: unknown;
  try {
    json = JSON.parse(row);
  } catch {
    return null;
  }
  const parsed = LINE.safeParse(json);
  return parsed.success ? lineOf(parsed.data) : null;
}

function lineOf(read: z.infer<typeof LINE>): TranscriptLine | "left-out" {
  switch (read.type) {
    case "start": {
      const { agent, parent, role, provider, scripted, system, tools } = read;
      const startedBy = read.started_by ?? null;
      return {
        kind: "start",
        agent,
        parent,
        startedBy,
        atMs: read.at_ms,
        role,
        provider,
        scripted,
        system,
        tools,
      };
    }
    case "message": {
      const { turn, at_ms: atMs, message } = read;
      return message.role === "user"
        ? { kind: "user", turn, atMs, text: message.text }
        : { kind: "assistant", turn, atMs, text: message.text, calls: message.calls };
    }
    case "request":
      return requestOf(read);
    case "result": {
      const { turn, index, name, outcome, text } = read;
      const { call_id: callId, is_error: isError, queued_ms: queuedMs, start_ms: startMs, end_ms: endMs } = read;
      const { gate_ms: gateMs, approval_ms: approvalMs } = read;
      const times = { queuedMs, gateMs, approvalMs, startMs, endMs };
      return { kind: "result", turn, index, callId, name, outcome, isError, text, ...times };
    }
    case "call":
      return "left-out";
    case "compaction":
      return { kind: "compaction", turn: read.turn, atMs: read.at_ms, opening: read.opening, kept: read.kept };
    case "end":
      return { kind: "end", atMs: read.at_ms, outcome: read.outcome, detail: read.detail };
    default:
      return unreachable(read);
  }
}

function requestOf(read: Extract<z.infer<typeof LINE>, { type: "request" }>): TranscriptLine {
  const { turn, provider, outcome, error, usage } = read;
  return {
    kind: "request",
    turn,
    provider,
    outcome,
    error: error === null ? null : `${error.code}: ${error.message}`,
    startMs: read.start_ms,
    endMs: read.end_ms,
    waitedMs: read.waited_ms,
    tokens: {
      inputTokens: usage.input_tokens,
      cachedTokens: usage.cached_tokens,
      outputTokens: usage.output_tokens,
    },
    costUsd: read.cost_usd,
  };
}
