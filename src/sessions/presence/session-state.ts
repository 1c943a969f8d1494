// The state of a session: one pure fold over what its client tells of it (docs/spec/board.md has the table).
// Invariant: only an event or evidence leaves a state. Silence never does, whatever its length.

import { unreachable } from "../../base/assert.ts";
import type { Line } from "./line.ts";

export type SessionState =
  | { readonly kind: "working" }
  | { readonly kind: "waiting"; readonly reason: string }
  | { readonly kind: "ended"; readonly reason: string | null };

/** Times in milliseconds since the epoch; 0 where there was none. */
export interface Turn {
  readonly state: SessionState;
  /** Since when it is in this state. */
  readonly since: number;
  /** The last event that said anything of the turn. */
  readonly toldAt: number;
  /** The last event that can begin a turn: a prompt, a start. */
  readonly beganAt: number;
  /** The last end of a turn with nothing left in the background. */
  readonly endedAt: number;
  /** Turns that have ended so. */
  readonly ended: number;
  /** Prompts that a person typed. */
  readonly prompts: number;
  /** What went on in the background when the last turn ended; null where the client does not count it. */
  readonly background: number | null;
  /** What it waited for when a compaction began: it waits for it again afterwards. */
  readonly compacting: SessionState | null;
}

export const noTurn: Turn = {
  state: { kind: "working" },
  since: 0,
  toldAt: 0,
  beganAt: 0,
  endedAt: 0,
  ended: 0,
  prompts: 0,
  background: null,
  compacting: null,
};

export const working: SessionState = { kind: "working" };
export const awaitsPrompt: SessionState = { kind: "waiting", reason: "a prompt" };
export const interrupted: SessionState = { kind: "waiting", reason: "interrupted" };

/** What of a line the state depends on. */
export type TurnEvent = Pick<Line, "kind" | "at" | "source" | "reason" | "background" | "person">;

export interface Circumstances {
  /** It is the session's first line. */
  readonly first: boolean;
  /** The line tells of another process than before. */
  readonly newProcess: boolean;
}

export function nextTurn(turn: Turn, event: TurnEvent, circumstances: Circumstances): Turn {
  switch (event.kind) {
    case "prompt":
      return { ...begun(turn, event), prompts: turn.prompts + (event.person === false ? 0 : 1) };
    case "shell-started":
    case "shell-ended":
    case "files-edited":
    case "seen":
    case "subagent-started":
      return told(turn, event, working);
    case "compacting":
      return { ...told(turn, event, working), compacting: turn.compacting ?? whatItAwaited(turn) };
    case "session-started":
      return started(turn, event, circumstances);
    case "turn-ended":
      return ended(turn, event);
    case "interrupted":
      return { ...told(turn, event, interrupted), background: null };
    case "waiting":
      return waits(turn, event);
    case "subagent-ended":
    case "session-ended":
      return told(turn, event, { kind: "ended", reason: event.reason });
    case "moved":
    case "intent":
    case "crew":
      return turn.state.kind === "ended" ? told(turn, event, working) : turn;
    default:
      return unreachable(event.kind);
  }
}

/** Since when: as long as it is the same state, and it waits for the same, it is the same stretch. */
function told(turn: Turn, { at }: Pick<TurnEvent, "at">, state: SessionState): Turn {
  const same = isSameState(turn.state, state) && turn.toldAt > 0;
  return { ...turn, state, since: same ? turn.since : at, toldAt: Math.max(turn.toldAt, at), compacting: null };
}

export function isSameState(a: SessionState, b: SessionState): boolean {
  if (a.kind === "waiting" && b.kind === "waiting") return a.reason === b.reason;
  return a.kind === b.kind;
}

/** A person's prompt begins anew, also where no hook told that the work before it was over. */
function begun(turn: Turn, event: TurnEvent): Turn {
  const next = told(turn, event, working);
  return { ...next, since: event.person === false ? next.since : event.at, beganAt: event.at, background: null };
}

function whatItAwaited({ state }: Turn): SessionState | null {
  return state.kind === "waiting" ? state : null;
}

/** It may come after the first prompt, and a compaction comes in the middle of a turn, or while nothing is done. */
function started(turn: Turn, event: TurnEvent, { first, newProcess }: Circumstances): Turn {
  if (event.source === "compact")
    return told(turn, event, turn.compacting ?? (turn.state.kind === "ended" ? working : turn.state));
  const late = event.source === "startup" && !first && !newProcess;
  if (late && turn.state.kind === "working") return told(turn, event, working);
  return { ...told(turn, event, awaitsPrompt), beganAt: event.at, background: null };
}

function ended(turn: Turn, event: TurnEvent): Turn {
  const { at, background } = event;
  // What runs in the background wakes the session when it is done: the person is not needed yet.
  if ((background ?? 0) > 0) return { ...told(turn, event, working), background };
  return { ...told(turn, event, awaitsPrompt), background, endedAt: at, ended: turn.ended + 1 };
}

function waits(turn: Turn, event: TurnEvent): Turn {
  const reason = event.reason ?? "a person";
  // A client says "idle" some time after a turn's end: nothing new, and while something runs in the background nobody is waited for.
  if (reason === "idle" && (turn.state.kind === "waiting" || (turn.background ?? 0) > 0)) return turn;
  // The same question told a second time, with fewer words: some clients do so after some seconds.
  const asked = turn.state.kind === "waiting" ? turn.state.reason : "";
  const known = asked.startsWith(`${reason}: `) || (reason === "permission" && /^a (question|plan)$/.test(asked));
  return told(turn, event, known ? turn.state : { kind: "waiting", reason });
}
