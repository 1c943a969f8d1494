// One session as the board shows it: what hooks told, what evidence adds, what its subagents do and whether its process lives, as one state.
// Invariant: whoever reads a state here can be told where it is known from.

import type { Row } from "../presence/rows.ts";
import { awaitsPrompt, isSameState, type SessionState, type Turn, working } from "../presence/session-state.ts";
import type { Judged } from "./evidence.ts";

export type Because = Judged["source"] | "subagents" | "process";

export interface BoardRow {
  readonly row: Row;
  readonly state: SessionState;
  /** Milliseconds since the epoch. */
  readonly since: number;
  readonly because: Because;
  readonly turn: Turn;
  /** It waits for its person, and may be believed to be there. */
  readonly needsPerson: boolean;
  /** It ended without a word: its process is gone in the middle of a turn. */
  readonly died: boolean;
  readonly subagentsAtWork: number;
}

/** A subagent that never told its end holds its session for so long after its last sign of life. */
const silentSubagentMsMax = 30 * 60_000;

export interface Knowledge {
  /** Adds the evidence to what hooks told of a row's turn. */
  readonly judge: (row: Row) => Judged;
  /** When its process was last seen alive, 0 where it never was; in milliseconds since the epoch. */
  readonly aliveAt: number;
  readonly now: number;
}

export function boardRow(row: Row, { judge, aliveAt, now }: Knowledge): BoardRow {
  const children = row.subagents
    .map((child) => ({ child, judged: judge(child) }))
    .filter(({ child }) => isThere(child));
  const atWork = children.filter(({ child, judged }) => isAtWork(child, judged, now));
  const { state, since, because, turn } = stateOf(row, judge(row), { children, atWork: atWork.length > 0, aliveAt });
  const there = row.liveness.kind !== "dead";
  return {
    row,
    state,
    since,
    because,
    turn,
    needsPerson: there && state.kind === "waiting",
    died: row.liveness.kind === "dead" && turn.state.kind === "working",
    subagentsAtWork: there ? atWork.length : 0,
  };
}

interface Child {
  readonly child: Row;
  readonly judged: Judged;
}

interface Family extends Pick<Knowledge, "aliveAt"> {
  readonly children: readonly Child[];
  readonly atWork: boolean;
}

type Stated = Pick<BoardRow, "state" | "since" | "because" | "turn">;

function stateOf(row: Row, { turn, source }: Judged, { children, atWork, aliveAt }: Family): Stated {
  const { liveness } = row;
  if (liveness.kind === "dead")
    return row.state.kind === "ended"
      ? { state: row.state, since: row.turn.since, because: "hooks", turn }
      : {
          state: { kind: "ended", reason: liveness.why },
          since: Math.max(row.lastAt, aliveAt),
          because: "process",
          turn,
        };
  // Its end is told, and it may still run in another process: then hooks' word of that one counts.
  if (row.state.kind !== row.turn.state.kind)
    return { state: row.state, since: row.lastAt, because: "process", turn: row.turn };
  const asks = children.find(({ judged }) => isQuestion(judged.turn.state));
  if (turn.state.kind !== "ended" && !isQuestion(turn.state) && asks !== undefined) {
    const { state, since } = asks.judged.turn;
    return { state, since, because: "subagents", turn };
  }
  // Where the client counts what goes on in the background, its count is the truth.
  const goesOn =
    turn.background === null && turn.endedAt === turn.since && isSameState(turn.state, awaitsPrompt) && atWork;
  if (goesOn) return { state: working, since: turn.beganAt || turn.since, because: "subagents", turn };
  return { state: turn.state, since: turn.since, because: source, turn };
}

function isThere(child: Row): boolean {
  return child.liveness.kind !== "dead" && child.state.kind !== "ended";
}

function isAtWork({ lastAt }: Row, { turn }: Judged, now: number): boolean {
  return turn.state.kind === "working" && now - lastAt <= silentSubagentMsMax;
}

/** It waits for something else than its next task. */
function isQuestion(state: SessionState): boolean {
  return state.kind === "waiting" && !["a prompt", "idle", "interrupted"].includes(state.reason);
}
