// Which sessions have begun to wait for their person: a pure fold over the board's views. Invariant: one call for each end of a turn and each
// question, none for a turn that goes on after all, none for what a person did (an interrupt, a start), none for what was so before.

import type { BoardRow } from "./board-row.ts";
import type { BoardView } from "./view.ts";

/** A hook of somebody else's may make a turn go on, and a question may be answered at once: so long it must stay. */
export const settleMs = 1_500;

export interface Attention {
  /** By wait: when it was first seen, and whether its call is done. Times of a clock that does not step. */
  readonly waits: ReadonlyMap<string, { readonly seenMs: number; readonly called: boolean }>;
  /** False before the first view. */
  readonly begun: boolean;
}

export const noAttention: Attention = { waits: new Map(), begun: false };

export interface AttentionStep {
  readonly attention: Attention;
  /** To be called for now. */
  readonly due: readonly BoardRow[];
}

export function nextAttention(before: Attention, view: BoardView, nowMs: number): AttentionStep {
  const waits = new Map<string, { readonly seenMs: number; readonly called: boolean }>();
  const due: BoardRow[] = [];
  for (const row of view.projects.flatMap(({ rows }) => rows)) {
    const wait = waitOf(row);
    if (wait === null) continue;
    const { seenMs, called } = before.waits.get(wait) ?? { seenMs: nowMs, called: !before.begun };
    const isDue = !called && nowMs - seenMs >= settleMs;
    if (isDue) due.push(row);
    waits.set(wait, { seenMs, called: called || isDue });
  }
  return { attention: { waits, begun: true }, due };
}

/** What tells one wait from another; null where the session does not wait, or its person knows. */
function waitOf({ row, state, since, turn, needsPerson }: BoardRow): string | null {
  if (!needsPerson || state.kind !== "waiting" || state.reason === "interrupted") return null;
  // A session that was only started has its person before it. The end of a turn is told twice by some clients, the second time as "idle".
  const isTurn = state.reason === "a prompt" || state.reason === "idle";
  if (isTurn) return turn.endedAt > 0 && turn.endedAt >= turn.beganAt ? `${row.key} turn ${turn.endedAt}` : null;
  return `${row.key} asks ${since}`;
}
