// `skein intent`: what an agent says of itself. Which session is speaking is found from the processes above this one, since no two clients
// tell their commands the same.

import { err, ok, type Result } from "../base/result.ts";
import { ancestorsOf } from "../sessions/presence/agent-process.ts";
import { isSameStart } from "../sessions/presence/liveness.ts";
import { lookAround, type Seen } from "../sessions/presence/look-around.ts";
import { type NamedRow, namedRow, wholeName } from "../sessions/presence/named-row.ts";
import { type EmptyIntent, type NotRegistered, recordIntent } from "../sessions/presence/record-own.ts";
import type { Row } from "../sessions/presence/rows.ts";
import { openPresence, type Presence } from "./presence.ts";
import type { StateError } from "./state-directory.ts";
import type { Surroundings } from "./surroundings.ts";

export interface IntentOptions {
  readonly text: string;
  /** The session's id or its beginning, or `client/id`; null for the one that this process belongs to. */
  readonly session: string | null;
}

export type IntentError =
  | StateError
  | NotRegistered
  | EmptyIntent
  | {
      readonly kind: "no-session";
      readonly wanted: string | null;
      /** More than one is meant by it. */
      readonly several: boolean;
      /** Names that `--session` takes. */
      readonly candidates: readonly string[];
    };

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
  const { registry } = presence.value;
  const now = surroundings.host.clock.now();
  const rows = await liveRows(presence.value, now);
  const found = session === null ? await ownRow(surroundings, presence.value, rows) : namedRow(rows, session);
  if (found.kind !== "one") {
    const several = found.kind === "several";
    const candidates = (several ? found.rows : rows).map(wholeName);
    return err({ kind: "no-session", wanted: session, several, candidates });
  }
  const { row } = found;
  const said = await recordIntent(registry, row.key, { text, now });
  return said.ok ? ok({ intent: said.value, client: row.client, name: row.name }) : said;
}

/** Of all repositories: the agent may have gone into another directory. */
async function liveRows({ registry, processes }: Presence, now: number): Promise<readonly Row[]> {
  const repositories = await registry.repositories();
  const seen: Seen[] = [];
  for (const repository of repositories.ok ? repositories.value : [])
    seen.push(await lookAround({ registry, processes, now }, repository));
  return seen.flatMap(({ rows }) => rows.filter(({ liveness }) => liveness.kind === "live"));
}

/** The nearest agent above this process: of two nested ones the inner. */
async function ownRow({ processId }: Surroundings, { processes }: Presence, rows: readonly Row[]): Promise<NamedRow> {
  for (const { pid, look } of await ancestorsOf(processes, processId)) {
    const row = rows.find(
      ({ facts: { process } }) =>
        process?.pid === pid && process.start !== null && isSameStart(process.start, look.start),
    );
    if (row !== undefined) return { kind: "one", row };
  }
  return { kind: "none" };
}
