// What is kept of the children of a run: `delegations.jsonl`, one line a delegation once it is over, for people and measurements, and
// `children.jsonl`, from which a resumed run knows again what was asked, refused, begun and told.

import { z } from "zod";
import { unreachable } from "../base/assert.ts";
import { type AgentId, asAgentId, asCallId, type CallId } from "../base/ids.ts";
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

/** A delegation as its parent's call made it. */
interface Asked {
  readonly parent: AgentId;
  readonly seq: number;
  readonly callId: CallId;
  /** The parent's call. */
  readonly turn: number;
  readonly index: number;
  readonly queuedAtMs: number;
}

/** One that was granted: its child has an id, and has not begun yet. */
export interface AskedChild extends Asked {
  readonly child: AgentId;
  readonly request: DelegateRequest;
}

export interface RefusedRequest extends Asked {
  /** A sentence for the parent. */
  readonly reason: string;
}

export type ChildEntry =
  | { readonly kind: "asked"; readonly asked: AskedChild }
  | { readonly kind: "refused"; readonly refused: RefusedRequest }
  /** Its call runs: from here on it is a child of the run. */
  | { readonly kind: "begun"; readonly child: AgentId }
  /** Its result is in its parent's transcript. */
  | { readonly kind: "told"; readonly child: AgentId };

export function childLine(entry: ChildEntry): string {
  switch (entry.kind) {
    case "begun":
    case "told":
      return JSON.stringify({ type: entry.kind, child: entry.child });
    case "refused":
      return JSON.stringify({ type: "refused", ...askedFields(entry.refused), reason: entry.refused.reason });
    case "asked": {
      const { child, request } = entry.asked;
      return JSON.stringify({ type: "asked", child, ...askedFields(entry.asked), request });
    }
    default:
      return unreachable(entry);
  }
}

function askedFields({ parent, seq, callId, turn, index, queuedAtMs }: Asked) {
  return { parent, seq, call_id: callId, turn, index, queued_at_ms: queuedAtMs };
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
const ASKED = {
  parent: z.string().transform(asAgentId),
  seq: COUNT,
  call_id: z.string().transform(asCallId),
  turn: COUNT,
  index: COUNT,
  queued_at_ms: z.number(),
};
const CHILD = z.string().transform(asAgentId);
const LINE = z.discriminatedUnion("type", [
  z.object({ type: z.literal("asked"), child: CHILD, ...ASKED, request: REQUEST }),
  z.object({ type: z.literal("refused"), ...ASKED, reason: z.string() }),
  z.object({ type: z.literal("begun"), child: CHILD }),
  z.object({ type: z.literal("told"), child: CHILD }),
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
  if (read.type === "told" || read.type === "begun") return { kind: read.type, child: read.child };
  const { parent, call_id: callId, queued_at_ms: queuedAtMs, seq, turn, index } = read;
  const asked = { parent, seq, callId, turn, index, queuedAtMs };
  if (read.type === "refused") return { kind: "refused", refused: { ...asked, reason: read.reason } };
  return { kind: "asked", asked: { ...asked, child: read.child, request: read.request } };
}

/** Writes both files. A failure is not a child's: the run goes on, and whoever opened the port has said so. */
export interface DelegationLog {
  /** The one line of the delegation: an earlier one of a child that has gone on since gives way to it. */
  ended(record: DelegationRecord): Promise<void>;
  /** Before the child does anything. */
  note(entries: readonly ChildEntry[]): Promise<void>;
}
