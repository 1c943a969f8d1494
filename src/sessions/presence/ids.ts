// Names of sessions: the directory of one, and what people are shown. A directory belongs to one session on one host, so that
// every file in it has one host's processes as its writers, also where several hosts share the state directory.

import { fnv64 } from "../../base/fnv.ts";
import type { Brand } from "../../base/ids.ts";
import type { ClientName } from "../client-event.ts";

/** A directory's name: client, session, subagent and host, safe for every file system. */
export type SessionKey = Brand<string, "SessionKey">;
/** A directory's name: the repository, readable, and a hash of its whole path. */
export type RepositoryKey = Brand<string, "RepositoryKey">;

export const asSessionKey = (text: string): SessionKey => text as SessionKey;
export const asRepositoryKey = (text: string): RepositoryKey => text as RepositoryKey;

export interface SessionName {
  readonly client: ClientName;
  readonly session: string;
  readonly agent: string | null;
  readonly host: string;
}

const partCharsMax = 60;

export function sessionKey({ client, session, agent, host }: SessionName): SessionKey {
  const own = agent === null ? safe(session) : `${safe(session)}+${safe(agent)}`;
  return asSessionKey(`${client}_${own}_${fnv64(host).slice(0, 8)}`);
}

/** `common` is the repository's common git directory, or the directory itself where there is no git. */
export function repositoryKey(common: string): RepositoryKey {
  const parts = common.split("/").filter((part) => part !== "" && part !== ".git" && part !== ".bare");
  const name = (parts.at(-1) ?? "").replace(/[^A-Za-z0-9._-]+/g, "-").replace(/^[.-]+/, "");
  const hash = fnv64(common);
  return asRepositoryKey(name === "" ? hash : `${name.slice(0, 40)}-${hash}`);
}

const shortChars = 8;

/** As lists name it: the first letters of the id, and those of a subagent's. */
export function shortName(session: string, agent: string | null): string {
  const own = safe(session).slice(0, shortChars);
  return agent === null ? own : `${own}+${safe(agent).slice(0, shortChars)}`;
}

/** An id of common letters stays as it is; another is told apart by its hash. */
function safe(id: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9.-]*$/.test(id) && id.length <= partCharsMax) return id;
  const kept = id
    .replace(/[^A-Za-z0-9]+/g, "-")
    .replace(/^-+/, "")
    .slice(0, 20);
  return kept === "" ? fnv64(id) : `${kept}-${fnv64(id)}`;
}
