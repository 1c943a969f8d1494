// A swarm in the registry of sessions: one row, whatever its size, with the number of workers behind it.

import { type OwnSession, openOwnSession } from "./own-session.ts";
import type { Surroundings } from "./surroundings.ts";
import type { RunView, SwarmWatcher } from "./swarm-types.ts";

export interface SwarmSession {
  /** Tells how many are at work, when that has changed and not too often. */
  changed(view: () => RunView): void;
  end(reason: string): Promise<void>;
}

export interface SwarmSessionSpec {
  readonly run: string;
  readonly goal: string;
  readonly repository: string;
  readonly resumed: boolean;
  readonly watcher: Pick<SwarmWatcher, "onNote">;
}

/** A count that is this old may be renewed. */
const countMsMin = 3_000;

export async function openSwarmSession(surroundings: Surroundings, spec: SwarmSessionSpec): Promise<SwarmSession> {
  const { clock } = surroundings.host;
  const session: OwnSession = await openOwnSession(surroundings, {
    client: "skein-swarm",
    session: spec.run,
    cwd: spec.repository,
    transcript: null,
    onNote: (text) => spec.watcher.onNote(text),
  });
  await session.note({ kind: "session-started", source: spec.resumed ? "resume" : "startup" });
  await session.note({ kind: "prompt", text: spec.goal, byPerson: true });
  let toldMs = Number.NEGATIVE_INFINITY;
  let told = -1;
  return {
    changed: (view) => {
      const now = clock.monotonicMs();
      if (now - toldMs < countMsMin) return;
      toldMs = now;
      const count = view().lines.filter(({ look }) => look === "running").length;
      if (count === told) return;
      told = count;
      void session.crew(count);
    },
    end: async (reason) => {
      await session.crew(0);
      await session.note({ kind: "session-ended", reason });
    },
  };
}
