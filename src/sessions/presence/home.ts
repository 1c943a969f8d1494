// Where a session's record is kept: under the repository in which it was first seen, whatever directory it looks at later. Only a new
// start in another repository moves it, and the old record then says so.

import { ok, type Result } from "../../base/result.ts";
import type { FileError } from "../../host/files.ts";
import type { ClientEvent } from "../client-event.ts";
import { type RepositoryKey, repositoryKey, type SessionKey, sessionKey } from "./ids.ts";
import type { Place } from "./place.ts";
import type { Registry } from "./registry.ts";
import { appendLine } from "./session-file.ts";

export interface Home {
  readonly key: SessionKey;
  readonly repository: RepositoryKey;
  readonly directory: string;
}

export interface Arrival {
  readonly event: ClientEvent;
  readonly place: Place;
  readonly host: string;
  readonly now: number;
}

export async function homeFor(
  registry: Registry,
  { event, place, host, now }: Arrival,
): Promise<Result<Home, FileError>> {
  const key = sessionKey({ client: event.client, session: event.session, agent: event.agent, host });
  const here = repositoryKey(place.repository);
  const known = await registry.homeOf(key);
  const starts = event.action.kind === "session-started" && event.action.source !== "compact";
  const repository = known === null || starts ? here : known;
  if (repository !== known) {
    if (known !== null) await leave(registry, known, key, now);
    const set = await registry.setHome(key, repository);
    if (!set.ok) return set;
  }
  return ok({ key, repository, directory: registry.directoryOf(repository, key) });
}

/** A record that cannot be written any more is found dead later. */
async function leave(registry: Registry, repository: RepositoryKey, key: SessionKey, now: number): Promise<void> {
  const read = await registry.read(repository, key);
  if (!read.ok || read.value.fold.lines === 0) return;
  const line = { at: now, kind: "session-ended", reason: "it went on in another repository" } as const;
  await appendLine(registry.files, registry.directoryOf(repository, key), line, read.value);
}
