// The board's words: states, reasons and times, short enough for a column. What a session wrote is cleaned and capped.

import { unreachable } from "../../base/assert.ts";
import { cleanLine } from "../../base/text.ts";
import type { BoardRow } from "../../sessions/board/board-row.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const reasonCharsMax = 60;

/** `now`, `3m`, `2h`, `4d`: below a minute nothing moves, so that a screen that does not change is not drawn. */
export function shortTime(ms: number): string {
  if (ms < MINUTE) return "now";
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)}m`;
  if (ms < DAY) return `${Math.floor(ms / HOUR)}h`;
  return `${Math.floor(ms / DAY)}d`;
}

/** `1 h 05 min`, `4 min`, `30 s`: for sums. */
export function spanText(ms: number): string {
  if (ms < MINUTE) return `${Math.round(ms / 1_000)} s`;
  const minutes = Math.floor(ms / MINUTE);
  if (minutes < 60) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, "0")} min`;
}

/** The mark that is seen from afar: one column. */
export function markOf(row: BoardRow): string {
  if (row.needsPerson) return "▶";
  if (row.died) return "✗";
  if (row.row.liveness.kind === "unknown") return "?";
  return row.state.kind === "working" ? "●" : "·";
}

/** `WAITS`, `works`, `died`, `ended`: the mark's meaning without colour. */
export function stateWordOf({ state, needsPerson, died, row }: BoardRow): string {
  if (died) return "died";
  const doubt = row.liveness.kind === "unknown" ? "?" : "";
  switch (state.kind) {
    case "working":
      return `works${doubt}`;
    case "waiting":
      return needsPerson ? `WAITS${doubt}` : "waits";
    case "ended":
      return "ended";
    default:
      return unreachable(state);
  }
}

/** What a waiting session waits for, and what is known of a working one. */
export function whyOf(row: BoardRow, now: number): string {
  const { state, subagentsAtWork, turn, row: shown } = row;
  if (state.kind === "waiting") return reasonText(state.reason, turn.endedAt);
  if (state.kind === "ended")
    return row.died || state.reason !== null ? cleanLine(state.reason ?? "", reasonCharsMax) : "";
  if (shown.crew !== null) return `${shown.crew} ${shown.crew === 1 ? "worker" : "workers"}`;
  if (subagentsAtWork > 0) return `${subagentsAtWork} ${subagentsAtWork === 1 ? "subagent" : "subagents"}`;
  if ((turn.background ?? 0) > 0) return `${turn.background} in background`;
  const silent = now - shown.lastAt;
  return silent < MINUTE ? "" : `last event ${shortTime(silent)} ago`;
}

function reasonText(reason: string, endedAt: number): string {
  if (reason === "a prompt" || reason === "idle") return endedAt > 0 ? "turn is over" : "first prompt";
  return cleanLine(reason, reasonCharsMax);
}

/** `12:03`, in the reader's own time. */
export function clockText(ms: number): string {
  const date = new Date(ms);
  return [date.getHours(), date.getMinutes()].map((part) => String(part).padStart(2, "0")).join(":");
}
