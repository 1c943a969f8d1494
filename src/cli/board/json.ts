// The board for programs: what `skein board --json` and `skein watch` promise. Times in ISO 8601, UTC; spans in milliseconds.

import type { SessionToday, Today } from "../../app/board/today.ts";
import type { BoardRow } from "../../sessions/board/board-row.ts";
import type { Change } from "../../sessions/board/changes.ts";
import type { Spent } from "../../sessions/board/history.ts";
import { type BoardView, isShown } from "../../sessions/board/view.ts";
import { rowJson } from "../render/who.ts";

export interface BoardJsonOptions {
  readonly now: number;
  /** Those that have ended too. */
  readonly all: boolean;
}

export function boardJson({ projects, problems }: BoardView, { now, all }: BoardJsonOptions) {
  const shown = projects
    .map((project) => ({ ...project, rows: all ? project.rows : project.rows.filter(isShown) }))
    .filter(({ rows }) => rows.length > 0);
  const rows = shown.flatMap((project) => project.rows);
  return {
    at: iso(now),
    waiting: rows.filter(({ needsPerson }) => needsPerson).length,
    working: rows.filter(({ state, died }) => state.kind === "working" && !died).length,
    projects: shown.map(({ name, repository, rows }) => ({ name, repository, sessions: rows.map(boardRowJson) })),
    problems,
  };
}

/** As `skein who --json` has them; `state`, `reason` and `stateSince` with the evidence in them. */
export function boardRowJson(shown: BoardRow) {
  const { row, state, since, because, needsPerson, died, subagentsAtWork, turn } = shown;
  return {
    ...rowJson(row),
    state: state.kind,
    reason: state.kind === "working" ? null : state.reason,
    stateSince: iso(since),
    stateFrom: because,
    needsPerson,
    died,
    turns: turn.ended,
    prompts: turn.prompts,
    turnEndedAt: turn.endedAt === 0 ? null : iso(turn.endedAt),
    background: turn.background,
    subagentsAtWork,
  };
}

export function changeJson({ kind, row, before }: Change, now: number) {
  return {
    event: kind,
    at: iso(now),
    repository: row.row.facts.repository,
    was: before === null ? null : before.state.kind,
    session: boardRowJson(row),
  };
}

export function todayJson({ stretch, sessions, sum }: Today) {
  return {
    from: iso(stretch.from),
    to: iso(stretch.to),
    sum: spentJson(sum),
    sessions: sessions.map(({ row: { row, state }, project, spent }: SessionToday) => ({
      project,
      client: row.client,
      session: row.session,
      state: state.kind,
      intent: row.intent?.text ?? null,
      ...spentJson(spent),
    })),
  };
}

function spentJson({ workedMs, waitedMs, longestWaitMs, longestWaitAt, turns, prompts }: Spent) {
  const longest = longestWaitAt === null ? null : iso(longestWaitAt);
  return { workedMs, waitedMs, longestWaitMs, longestWaitAt: longest, turns, prompts };
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
