// Who is at work in a repository: every session that is recorded there, ours and other agents', with what the system says of its process.

import { ok, type Result } from "../base/result.ts";
import { cleanUp } from "../sessions/presence/clean-up.ts";
import { repositoryKey } from "../sessions/presence/ids.ts";
import { lookAround } from "../sessions/presence/look-around.ts";
import { findPlace, type Place } from "../sessions/presence/place.ts";
import type { Row } from "../sessions/presence/rows.ts";
import { isHere } from "../sessions/presence/start-block.ts";
import type { NoStateRoot } from "../sessions/state-root.ts";
import { openPresence } from "./presence.ts";
import type { Surroundings } from "./surroundings.ts";

export interface WhoOptions {
  /** Absolute. */
  readonly directory: string;
  /** Those that have ended or died as well, as long as their records are kept. */
  readonly all: boolean;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Tells this process's temporary files from another's. */
  readonly unique: string;
}

export interface Who {
  readonly place: Place;
  /** Live ones first, then by their last activity. */
  readonly rows: readonly Row[];
  /** Not among the rows: ended or dead. */
  readonly gone: number;
  readonly now: number;
  readonly problems: readonly string[];
}

export async function who(
  surroundings: Pick<Surroundings, "env" | "platform">,
  { directory, all, now, unique }: WhoOptions,
): Promise<Result<Who, NoStateRoot>> {
  const presence = await openPresence(surroundings);
  if (!presence.ok) return presence;
  const { registry, processes } = presence.value;
  const place = await findPlace(registry.files, directory);
  const seen = await lookAround({ registry, processes, now }, repositoryKey(place.repository));
  const here = seen.rows.filter(isHere);
  const rows = [...(all ? seen.rows : here)].sort((a, b) => rank(b) - rank(a) || b.lastAt - a.lastAt);
  await seen.remember(unique);
  await cleanUp(registry, seen, { now, unique });
  return ok({ place, rows, gone: seen.rows.length - here.length, now, problems: seen.problems });
}

function rank(row: Row): number {
  if (!isHere(row)) return 0;
  return row.liveness.kind === "live" ? 2 : 1;
}
