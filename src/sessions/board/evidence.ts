// What is known of a session's turn beside its hooks: what its transcript and its client's own state say. Clients send no event when a
// person interrupts a turn, answers a question, or when a turn goes on after all (docs/spec/board.md lists it for each client).
// Invariant: evidence counts only where it is newer than what hooks told, and it is never written anywhere.

import { unreachable } from "../../base/assert.ts";
import type { ClientName } from "../client-event.ts";
import type { Facts } from "../presence/line.ts";
import {
  awaitsPrompt,
  interrupted,
  isSameState,
  type SessionState,
  type Turn,
  working,
} from "../presence/session-state.ts";

/** `at` in milliseconds since the epoch, as the client wrote it. */
export type Evidence =
  /** The person stopped the turn. */
  | { readonly kind: "interrupted"; readonly at: number }
  /** The model or a tool was at work: the turn goes on. */
  | { readonly kind: "active"; readonly at: number }
  /** The turn is over. */
  | { readonly kind: "idle"; readonly at: number }
  | { readonly kind: "waiting"; readonly at: number; readonly reason: string };

export interface FoundEvidence {
  readonly evidence: Evidence;
  /** `transcript` says what was true at that moment, `client` and `process` what has been true since then and still is. */
  readonly source: "transcript" | "client" | "process";
}

/** The evidence that a client leaves. Pure; the texts are whatever is in the files. */
export interface EvidenceReader {
  readonly client: ClientName;
  /** One line of its transcript; null where it says nothing of the turn. */
  fromTranscript(line: string): Evidence | null;
  /** The file with the client's own state of that session, absolute; null where it keeps none. */
  statePath(facts: Facts): string | null;
  fromState(text: string, facts: Facts): Evidence | null;
  /** A process that it started after it asked for a permission is what was permitted. */
  readonly childrenAreWork: boolean;
}

export interface Judged {
  readonly turn: Turn;
  /** Where the state is known from. */
  readonly source: "hooks" | FoundEvidence["source"];
}

/** A call that is interrupted ends after it: its hook comes so much later at the most. */
const lateHookMsMax = 2_000;
/** Of a turn's change the client writes its state and starts our hook: whichever is the later, it is that by less than this. */
const stateLagMsMax = 1_000;

/** `now` in milliseconds since the epoch. */
export function withEvidence(turn: Turn, found: readonly FoundEvidence[], now: number): Judged {
  let judged: Judged = { turn, source: "hooks" };
  // What a client leaves behind is true of the time before, and whoever goes on begins with a hook.
  if (turn.state.kind === "ended") return judged;
  for (const { evidence, source } of found.toSorted((a, b) => a.evidence.at - b.evidence.at)) {
    const trueAt = source !== "transcript" ? Math.max(evidence.at, now - stateLagMsMax) : evidence.at;
    const next = applied(judged.turn, evidence, trueAt);
    if (next !== null) judged = { turn: next, source };
  }
  return judged;
}

/** Null where it changes nothing. */
function applied(turn: Turn, evidence: Evidence, trueAt: number): Turn | null {
  const { at } = evidence;
  switch (evidence.kind) {
    case "interrupted":
      if (at < turn.beganAt || at + lateHookMsMax < turn.toldAt) return null;
      return becomes({ ...turn, background: null }, at, interrupted);
    case "active":
      return trueAt > turn.toldAt ? becomes(turn, at, working) : null;
    case "idle":
      // Nobody knows how it ended: that is told by hooks, and by what a transcript says of an interrupt.
      return trueAt > turn.toldAt && turn.state.kind === "working"
        ? becomes({ ...turn, background: null }, at, awaitsPrompt)
        : null;
    case "waiting":
      // Hooks say more exactly what for.
      return trueAt > turn.toldAt && turn.state.kind === "working"
        ? becomes(turn, at, { kind: "waiting", reason: evidence.reason })
        : null;
    default:
      return unreachable(evidence);
  }
}

/** What was true already when a hook told something else began after that. */
function becomes(turn: Turn, at: number, state: SessionState): Turn | null {
  if (isSameState(turn.state, state)) return null;
  const since = Math.max(at, turn.toldAt);
  return { ...turn, state, since, toldAt: since };
}
