// What is kept of the children of a run: `delegations.jsonl`, one line a delegation once it is over, for people and measurements, and
// `children.jsonl`, from which a resumed run knows its children again. Both are only ever appended to.

import { z } from "zod";
import type { AgentId, CallId } from "../base/ids.ts";
import { asAgentId } from "../base/ids.ts";
import type { Figure } from "../model/usage.ts";

export const DELEGATION_OUTCOMES = ["done", "failed", "limit", "cancelled", "refused"] as const;
export type DelegationOutcome = (typeof DELEGATION_OUTCOMES)[number];

export interface DelegationRecord {
  /** From 1, in the order of the requests; lines stand in the order of the endings. */
  readonly seq: number;
  readonly callId: CallId;
  /** Null for one that was refused. */
  readonly child: AgentId | null;
  readonly parent: AgentId;
  /** Children that ran when it started, itself among them; unavailable if it never did. */
  readonly concurrent: Figure;
  /** Wall time, milliseconds since the epoch. */
  readonly queuedAtMs: number;
  readonly startedAtMs: Figure;
  readonly endedAtMs: number;
  readonly outcome: DelegationOutcome;
}

export function delegationLine(record: DelegationRecord): string {
  return JSON.stringify({
    seq: record.seq,
    call_id: record.callId,
    child_id: record.child,
    parent_id: record.parent,
    concurrent: record.concurrent,
    queued_at_ms: record.queuedAtMs,
    started_at_ms: record.startedAtMs,
    ended_at_ms: record.endedAtMs,
    outcome: record.outcome,
  });
}

export interface DelegateRequest {
  readonly task: string;
  readonly context: "task-only" | "full" | "no-tools";
  /** Null is the children's usual one. */
  readonly model: string | null;
  readonly isolation: "shared" | "workspace";
  /** Files and directories of the shared tree that the child may write; empty: it only reads. */
  readonly writeScope: readonly string[];
  readonly background: boolean;
}

export interface StartedChild {
  readonly child: AgentId;
  readonly parent: AgentId;
  readonly seq: number;
  readonly callId: CallId;
  /** The parent's call. */
  readonly turn: number;
  readonly index: number;
  readonly queuedAtMs: number;
  readonly request: DelegateRequest;
}

export type ChildEntry =
  | { readonly kind: "started"; readonly started: StartedChild }
  /** Its result is in its parent's transcript. */
  | { readonly kind: "told"; readonly child: AgentId };

export function childLine(entry: ChildEntry): string {
  if (entry.kind === "told") return JSON.stringify({ type: "told", child: entry.child });
  const { child, parent, seq, callId, turn, index, queuedAtMs, request } = entry.started;
  return JSON.stringify({
    type: "started",
    child,
    parent,
    seq,
    call_id: callId,
    turn,
    index,
    queued_at_ms: queuedAtMs,
    request,
  });
}

const COUNT = z.number().int().min(0);
const REQUEST = z.object({
  task: z.string(),
  context: z.enum(["task-only", "full", "no-tools"]),
  model: z.string().nullable(),
  isolation: z.enum(["shared", "workspace"]),
  writeScope: z.array(z.string()),
  background: z.boolean(),
});
const LINE = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("started"),
    child: z.string(),
    parent: z.string(),
    seq: COUNT,
    call_id: z.string().transform((text) => text as CallId),
    turn: COUNT,
    index: COUNT,
    queued_at_ms: z.number(),
    request: REQUEST,
  }),
  z.object({ type: z.literal("told"), child: z.string() }),
]);

/** Null for a line that a crash has torn. */
export function readChildLine(line: string): ChildEntry | null {
  let json: unknown;
  try {
    json = JSON.parse(line);
  } catch {
    return null;
  }
  const parsed = LINE.safeParse(json);
  if (!parsed.success) return null;
  const read = parsed.data;
  if (read.type === "told") return { kind: "told", child: asAgentId(read.child) };
  const { child, parent, call_id: callId, queued_at_ms: queuedAtMs, seq, turn, index, request } = read;
  const started = { child: asAgentId(child), parent: asAgentId(parent), seq, callId, turn, index, queuedAtMs, request };
  return { kind: "started", started };
}

/** Writes both files. A failure is not a child's: the run goes on, and whoever opened the port has said so. */
export interface DelegationLog {
  ended(record: DelegationRecord): Promise<void>;
  /** Before the child does anything. */
  note(entries: readonly ChildEntry[]): Promise<void>;
}
