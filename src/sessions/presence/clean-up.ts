// Removes the records of sessions that have been dead for long. Invariant: a live or unknown session's record is never touched.

import type { Seen } from "./look-around.ts";
import type { Registry } from "./registry.ts";
import type { Row } from "./rows.ts";

/** Kept for the board and for people who look back. */
export const deadKeptMs = 7 * 24 * 60 * 60_000;
/** A subagent's record says little once it has ended. */
const endedSubagentKeptMs = 24 * 60 * 60_000;
/** Of one call: a start of a session must not wait for a year's leftovers. */
const removedMax = 25;

export async function cleanUp(
  registry: Registry,
  { rows, sessions }: Pick<Seen, "rows" | "sessions">,
  { now, unique }: { readonly now: number; readonly unique: string },
): Promise<number> {
  const old = new Set<string>(rows.flatMap((row) => removable(row, now)));
  const removed = sessions.filter(({ key }) => old.has(key)).slice(0, removedMax);
  for (const [index, session] of removed.entries()) await registry.forget(session, `${unique}-${index}`);
  return removed.length;
}

function removable(row: Row, now: number): readonly string[] {
  const silentMs = now - row.lastAt;
  const children = row.subagents.flatMap((child) =>
    child.state.kind === "ended" && now - child.lastAt > endedSubagentKeptMs ? [child.key] : [],
  );
  if (row.liveness.kind !== "dead" || silentMs <= deadKeptMs) return children;
  return [row.key, ...row.earlier, ...row.subagents.map(({ key }) => key)];
}
