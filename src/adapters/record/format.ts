// The lines of a recording, version 1. A file is JSONL: `recording` first; then `part` (a message, system prompt or list of tools,
// once per file, by digest), `request` (who asks, and the digests of what is sent) and `answer` (the stream's events with their
// times). A request without an answer was cut by a crash. Fields are snake_case.

import { z } from "zod";
import { asCallId } from "../../base/ids.ts";
import type { ModelRequest, StreamEvent } from "../../model/provider.ts";

export const RECORDING_VERSION = 1;

/** What a stream says, without reports of attempts: each attempt is a request of its own here. */
export type RecordedEvent = Exclude<StreamEvent, { kind: "attempt" }>;

export interface TimedEvent {
  /** Milliseconds since the request. */
  readonly ms: number;
  readonly event: RecordedEvent;
}

export interface RequestLine {
  readonly id: number;
  readonly atMs: number;
  readonly provider: string;
  readonly context: ModelRequest["context"];
  /** Digests. */
  readonly system: string;
  readonly tools: string;
  readonly messages: readonly string[];
  readonly outputTokensMax: number;
}

export function recordingLine(atMs: number): unknown {
  return { type: "recording", version: RECORDING_VERSION, at_ms: atMs };
}

export function partLine(digest: string, value: unknown): unknown {
  return { type: "part", digest, value };
}

export function requestLine({
  id,
  atMs,
  provider,
  context,
  system,
  tools,
  messages,
  outputTokensMax,
}: RequestLine): unknown {
  const { agent, parent, role, task, taskKeys, turn } = context;
  return {
    type: "request",
    id,
    at_ms: atMs,
    provider,
    agent,
    parent,
    role,
    task,
    task_keys: taskKeys,
    turn,
    system,
    tools,
    messages,
    output_tokens_max: outputTokensMax,
  };
}

/** `events` is what `neutral` made of TimedEvents. */
export function answerLine(id: number, events: unknown): unknown {
  return { type: "answer", id, events };
}

export type RecordingLine = z.infer<typeof LINE>;

/** Null for a line that this program did not write: torn by a crash, or damaged. */
export function parseLine(line: string): RecordingLine | null {
  try {
    const parsed = LINE.safeParse(JSON.parse(line));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

const NUMBER = z.number().int().min(0);
const FIGURE = z.union([z.number(), z.literal("unavailable")]);
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
const USAGE = z
  .object({
    inputTokens: FIGURE,
    cachedTokens: FIGURE,
    cacheWriteTokens: FIGURE.optional(),
    outputTokens: FIGURE,
  })
  .transform(({ cacheWriteTokens, ...usage }) =>
    cacheWriteTokens === undefined ? usage : { ...usage, cacheWriteTokens },
  );
const ERROR = z.object({
  kind: z.literal("model"),
  code: z.enum([
    "unauthorized",
    "quota",
    "rate-limit",
    "overloaded",
    "bad-request",
    "not-found",
    "refusal",
    "bad-answer",
    "no-content",
    "unreachable",
    "network",
    "script",
    "replay",
    "other",
  ]),
  message: z.string(),
  retryAfterMs: z.number().nullable(),
});
const EVENT = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("text"), text: z.string() }),
  z.object({ kind: z.literal("call"), call: CALL }),
  z.object({ kind: z.literal("done"), stop: z.enum(["end", "calls", "length"]), usage: USAGE }),
  z.object({ kind: z.literal("error"), error: ERROR }),
  z.object({ kind: z.literal("aborted") }),
]);
const LINE = z.discriminatedUnion("type", [
  z.object({ type: z.literal("recording"), version: NUMBER }),
  z.object({ type: z.literal("part"), digest: z.string(), value: z.unknown() }),
  z.object({
    type: z.literal("request"),
    id: NUMBER,
    provider: z.string(),
    role: z.enum(["solo", "child", "planner", "worker", "arbiter"]),
    task_keys: z.array(z.string()),
    turn: NUMBER,
    messages: z.array(z.string()),
  }),
  z.object({
    type: z.literal("answer"),
    id: NUMBER,
    events: z.array(z.object({ ms: z.number().min(0), event: EVENT })),
  }),
]);
