// What has changed from one view of the board to the next, for programs that follow it: one event for each session.

import type { BoardRow } from "./board-row.ts";
import type { BoardView } from "./view.ts";

export interface Change {
  /** `appeared`: it was not there, or over, before. `state`: another state or reason. `updated`: anything else that is shown. `gone`: its record was removed. */
  readonly kind: "appeared" | "state" | "updated" | "gone";
  /** As it is now; of one that is gone, as it was. */
  readonly row: BoardRow;
  /** As it was; null for one that has appeared. */
  readonly before: BoardRow | null;
}

/** `before` is null at the beginning: then all that is there has appeared. */
export function changesBetween(before: BoardView | null, after: BoardView): readonly Change[] {
  const known = new Map((before === null ? [] : rowsOf(before)).map((row) => [row.row.key, row]));
  const changes: Change[] = [];
  for (const row of rowsOf(after)) {
    // After `/clear` the session is the same, under another key.
    const keys = [row.row.key, ...row.row.earlier];
    const was = keys.map((key) => known.get(key)).find((one) => one !== undefined) ?? null;
    for (const key of keys) known.delete(key);
    const kind = was === null ? "appeared" : kindOf(was, row);
    if (kind !== null) changes.push({ kind, row, before: was });
  }
  return [...changes, ...[...known.values()].map((row) => ({ kind: "gone", row, before: row }) as const)];
}

function rowsOf({ projects }: BoardView): readonly BoardRow[] {
  return projects.flatMap(({ rows }) => rows);
}

function kindOf(was: BoardRow, is: BoardRow): "state" | "updated" | null {
  const told = ({ state, row, since }: BoardRow): unknown => [state, row.liveness.kind, since];
  if (JSON.stringify(told(was)) !== JSON.stringify(told(is))) return "state";
  const rest = ({ row, subagentsAtWork }: BoardRow): unknown => [
    row.key,
    row.intent,
    row.standing,
    row.files,
    row.unattributed,
    row.crew,
    row.turn.prompts,
    subagentsAtWork,
  ];
  return JSON.stringify(rest(was)) === JSON.stringify(rest(is)) ? null : "updated";
}
