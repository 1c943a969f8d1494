// The board over the sessions of this machine: the tracker with its ports, and the readers of each client's evidence.

import { ok, type Result } from "../../base/result.ts";
import { EVIDENCE_READERS } from "../../clients/evidence-readers.ts";
import { BoardTracker } from "../../sessions/board/tracker.ts";
import { repositoryKey } from "../../sessions/presence/ids.ts";
import { findPlace } from "../../sessions/presence/place.ts";
import type { Registry } from "../../sessions/presence/registry.ts";
import type { NoStateRoot } from "../../sessions/state-root.ts";
import { openPresence } from "../presence.ts";
import type { Surroundings } from "../surroundings.ts";

export interface Board {
  readonly tracker: BoardTracker;
  readonly registry: Registry;
}

export interface BoardOptions {
  /** Absolute; only the repository that it belongs to. Null for all of this machine. */
  readonly directory: string | null;
}

export async function openBoard(
  surroundings: Pick<Surroundings, "env" | "platform">,
  { directory }: BoardOptions,
): Promise<Result<Board, NoStateRoot>> {
  const presence = await openPresence(surroundings);
  if (!presence.ok) return presence;
  const { registry, processes } = presence.value;
  const place = directory === null ? null : await findPlace(registry.files, directory);
  const only = place === null ? null : repositoryKey(place.repository);
  const readers = new Map(EVIDENCE_READERS.map((reader) => [reader.client, reader]));
  return ok({ registry, tracker: new BoardTracker({ registry, processes, readers, only }) });
}
