// Who is at work in a repository: every session that is recorded there, ours and other agents', with what the system says of its process.

import { ok, type Result } from "../base/result.ts";
import { cleanUp } from "../sessions/presence/clean-up.ts";
import { repositoryKey } from "../sessions/presence/ids.ts";
import { lookAround } from "../sessions/presence/look-around.ts";
import { findPlace, type Place } from "../sessions/presence/place.ts";
import type { Row } from "../sessions/presence/rows.ts";
import { isHere } from "../sessions/presence/start-block.ts";
import { openPresence } from "./presence.ts";
import type { StateError } from "./state-directory.ts";
import type { Surroundings } from "./surroundings.ts";

export interface WhoOptions {
  /** Absolute. */
  readonly directory: string;
  /** Those that have ended or died as well, as long as their records are kept. */
  readonly all: boolean;
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

export async function who(surroundings: Surroundings, options: WhoOptions): Promise<Result<Who, StateError>> {
  const presence = await openPresence(surroundings);
  if (!presence.ok) return presence;
  const { registry, processes } = presence.value;
  const { clock, random } = surroundings.host;
  const now = clock.now();
  const place = await findPlace(registry.files, options.directory);
  const seen = await lookAround({ registry, processes, now }, repositoryKey(place.repository));
  const here = seen.rows.filter(isHere);
  const rows = [...(options.all ? seen.rows : here)].sort((a, b) => rank(b) - rank(a) || b.lastAt - a.lastAt);
  const unique = random.letters(10);
  await seen.remember(unique);
  await cleanUp(registry, seen, { now, unique });
  return ok({ place, rows, gone: seen.rows.length - here.length, now, problems: seen.problems });
}

function rank(row: Row): number {
  if (!isHere(row)) return 0;
  return row.liveness.kind === "live" ? 2 : 1;
}
