// When each client's hooks were last seen at work on this machine: read from the sessions themselves, since every hook that fires
// leaves a line there.

import type { ClientName } from "../client-event.ts";
import type { Registry } from "./registry.ts";

export interface Firing {
  /** Milliseconds since the epoch. */
  readonly lastAt: number;
  /** Records kept, subagents' included. */
  readonly sessions: number;
}

export async function firings(registry: Registry): Promise<ReadonlyMap<ClientName, Firing>> {
  const found = new Map<ClientName, Firing>();
  const repositories = await registry.repositories();
  for (const repository of repositories.ok ? repositories.value : []) {
    const { found: sessions } = await registry.sessionsOf(repository);
    for (const { fold } of sessions) {
      if (fold.facts === null) continue;
      const before = found.get(fold.facts.client) ?? { lastAt: 0, sessions: 0 };
      found.set(fold.facts.client, {
        lastAt: Math.max(before.lastAt, fold.lastAt),
        sessions: before.sessions + 1,
      });
    }
  }
  return found;
}
