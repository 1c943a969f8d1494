// How long a session worked and waited in a stretch of time: the fold of its states over its lines and over the evidence in its transcript.
// Invariant: worked and waited together are never more than the stretch, and what nobody knows of counts as neither.

import type { Line } from "../presence/line.ts";
import { nextTurn, noTurn, type SessionState, type Turn } from "../presence/session-state.ts";
import { type FoundEvidence, withEvidence } from "./evidence.ts";

/** Times in milliseconds since the epoch. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

export interface Spent {
  readonly workedMs: number;
  /** For its person: after a turn's end, for an answer. */
  readonly waitedMs: number;
  readonly longestWaitMs: number;
  /** When the longest wait began; null without one. */
  readonly longestWaitAt: number | null;
  readonly turns: number;
  readonly prompts: number;
}

export const nothingSpent: Spent = {
  workedMs: 0,
  waitedMs: 0,
  longestWaitMs: 0,
  longestWaitAt: null,
  turns: 0,
  prompts: 0,
};

export interface History {
  /** Oldest first. */
  readonly lines: readonly Line[];
  readonly evidence: readonly FoundEvidence[];
  /** The last moment at which it is known to have been in its last state: now, if it lives. */
  readonly lastAt: number;
}

type Step = { readonly at: number; readonly apply: (turn: Turn) => Turn };

export function spentIn({ from, to }: Stretch, { lines, evidence, lastAt }: History): Spent {
  let turn = noTurn;
  let spent = nothingSpent;
  let [at, first]: [number, boolean] = [from, true];
  const end = Math.min(to, lastAt);
  for (const step of stepsOf(lines, evidence)) {
    if (step.at > end) break;
    const next = step.apply(turn);
    if (step.at >= from) {
      if (!first) spent = withSpan(spent, turn.state, { from: at, to: step.at });
      at = Math.max(at, step.at);
      spent = {
        ...spent,
        turns: spent.turns + Math.max(0, next.ended - turn.ended),
        prompts: spent.prompts + Math.max(0, next.prompts - turn.prompts),
      };
    }
    turn = next;
    first = false;
  }
  return first || end <= at ? spent : withSpan(spent, turn.state, { from: at, to: end });
}

export function sumOf(all: readonly Spent[]): Spent {
  return all.reduce(
    (sum, one) => ({
      workedMs: sum.workedMs + one.workedMs,
      waitedMs: sum.waitedMs + one.waitedMs,
      ...longer(sum, one),
      turns: sum.turns + one.turns,
      prompts: sum.prompts + one.prompts,
    }),
    nothingSpent,
  );
}

function longer(a: Spent, b: Spent): Pick<Spent, "longestWaitMs" | "longestWaitAt"> {
  const { longestWaitMs, longestWaitAt } = b.longestWaitMs > a.longestWaitMs ? b : a;
  return { longestWaitMs, longestWaitAt };
}

/** In the order of time; hooks before evidence of the same moment. */
function stepsOf(lines: readonly Line[], evidence: readonly FoundEvidence[]): readonly Step[] {
  let process: string | null = null;
  const told = lines.map((line, index): Step => {
    const named = line.facts === null ? process : String(line.facts.process?.pid);
    const circumstances = { first: index === 0, newProcess: named !== process };
    process = named;
    return { at: line.at, apply: (turn) => nextTurn(turn, line, circumstances) };
  });
  const seen = evidence.map(
    (one): Step => ({ at: one.evidence.at, apply: (turn) => withEvidence(turn, [one], one.evidence.at).turn }),
  );
  return [...told, ...seen].toSorted((a, b) => a.at - b.at);
}

/** A clock that stepped back makes no negative time. */
function withSpan(spent: Spent, state: SessionState, { from, to }: Stretch): Spent {
  const ms = Math.max(0, to - from);
  switch (state.kind) {
    case "working":
      return { ...spent, workedMs: spent.workedMs + ms };
    case "waiting": {
      const isLongest = ms > spent.longestWaitMs;
      return {
        ...spent,
        waitedMs: spent.waitedMs + ms,
        longestWaitMs: isLongest ? ms : spent.longestWaitMs,
        longestWaitAt: isLongest ? from : spent.longestWaitAt,
      };
    }
    case "ended":
      return spent;
  }
}
