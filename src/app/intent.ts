// `skein intent`: what an agent says of itself. Which session is speaking is found from the processes above this one, since no two clients
// tell their commands the same.

import { err, ok, type Result } from "../base/result.ts";
import { SESSION_VARIABLE } from "../clients/session-variable.ts";
import type { Looking } from "../sessions/presence/look-around.ts";
import { namedRow, wholeName } from "../sessions/presence/named-row.ts";
import { type LiveRow, liveRows, rowAbove } from "../sessions/presence/own-row.ts";
import { type EmptyIntent, type NotRegistered, recordIntent } from "../sessions/presence/record-own.ts";
import { openPresence } from "./presence.ts";
import type { StateError } from "./state-directory.ts";
import { type Surroundings, variable } from "./surroundings.ts";

export interface IntentOptions {
  readonly text: string;
  /** The session's id or its beginning, or `client/id`; null for the one that this process belongs to. */
  readonly session: string | null;
}

export interface NoSession {
  readonly kind: "no-session";
  readonly wanted: string | null;
  /** More than one is meant by it. */
  readonly several: boolean;
  /** Names that `--session` takes. */
  readonly candidates: readonly string[];
}

export type IntentError = StateError | NotRegistered | EmptyIntent | NoSession;

export interface SaidIntent {
  /** As others see it. */
  readonly intent: string;
  readonly client: string;
  readonly name: string;
}

export async function sayIntent(
  surroundings: Surroundings,
  { text, session }: IntentOptions,
): Promise<Result<SaidIntent, IntentError>> {
  const presence = await openPresence(surroundings);
  if (!presence.ok) return presence;
  const { registry, processes } = presence.value;
  const now = surroundings.host.clock.now();
  const found = await sessionMeant({ registry, processes, now }, surroundings, session);
  if (!found.ok) return found;
  const { row } = found.value;
  const said = await recordIntent(registry, row.key, { text, now });
  return said.ok ? ok({ intent: said.value, client: row.client, name: row.name }) : said;
}

/** The named one among the live, or the nearest agent above this process. */
export async function sessionMeant(
  looking: Looking,
  { processId, env }: Pick<Surroundings, "processId" | "env">,
  session: string | null,
): Promise<Result<LiveRow, NoSession>> {
  const live = await liveRows(looking);
  const rows = live.map(({ row }) => row);
  const above =
    session === null
      ? await rowAbove(looking.processes, live, { processId, named: variable(env, SESSION_VARIABLE) })
      : null;
  if (above !== null && typeof above !== "string") return ok(above);
  const named = session === null ? { kind: "none" as const } : namedRow(rows, session);
  const found = named.kind === "one" ? live.find(({ row }) => row === named.row) : undefined;
  if (found !== undefined) return ok(found);
  const several = named.kind === "several";
  const candidates = (several ? named.rows : rows).map(wholeName);
  return err({ kind: "no-session", wanted: session, several, candidates });
}
