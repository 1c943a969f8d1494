// Our own harness and swarms in the registry of sessions, as any other agent. Being seen never costs a run anything: what cannot be
// recorded is told once and the work goes on.

import { err, ok, type Result } from "../base/result.ts";
import type { ClientAction, ClientEvent, ClientName } from "../sessions/client-event.ts";
import { sessionKey } from "../sessions/presence/ids.ts";
import { recordEvent } from "../sessions/presence/record-event.ts";
import { recordCrew } from "../sessions/presence/record-own.ts";
import { openPresence, recordingOf } from "./presence.ts";
import type { Surroundings } from "./surroundings.ts";

export interface OwnSession {
  /** In the order of the calls; answers, when the line is written, with what the agent should know of others. */
  note(action: ClientAction): Promise<string | null>;
  /** How many workers are at work behind it. */
  crew(count: number): Promise<void>;
}

export interface OwnSessionSpec {
  readonly client: Extract<ClientName, "skein" | "skein-swarm">;
  readonly session: string;
  readonly cwd: string;
  readonly transcript: string | null;
  readonly onNote: (text: string) => void;
}

export async function openOwnSession(surroundings: Surroundings, spec: OwnSessionSpec): Promise<OwnSession> {
  const presence = await openPresence(surroundings);
  const { client, session, cwd, transcript, onNote } = spec;
  let told = false;
  let last: Promise<unknown> = Promise.resolve();

  function inOrder(work: () => Promise<Result<string | null, string>>): Promise<string | null> {
    const result = last.then(async () => {
      const done = await work().catch((cause: unknown) => err(cause instanceof Error ? cause.message : String(cause)));
      if (done.ok) return done.value;
      if (!told) onNote(`other sessions may not see this run: ${done.error}`);
      told = true;
      return null;
    });
    last = result;
    return result;
  }

  async function record(action: ClientAction): Promise<Result<string | null, string>> {
    if (!presence.ok) return err(presence.error.message);
    const recording = await recordingOf(surroundings, presence.value, surroundings.processId);
    const recorded = await recordEvent(recording, { ...event, action });
    if (!recorded.ok) return err(`${recorded.error.path}: ${recorded.error.message}`);
    await recorded.value.afterwards();
    return ok(recorded.value.context);
  }

  const event: Omit<ClientEvent, "action"> = {
    client,
    session,
    agent: null,
    cwd,
    native: "own",
    takesContext: client === "skein",
    transcript,
    agentPid: surroundings.processId,
    sharedProcess: false,
  };
  return {
    note: (action) => inOrder(() => record(action)),
    crew: async (count) => {
      await inOrder(async () => {
        if (!presence.ok) return err(presence.error.message);
        const { registry, processes } = presence.value;
        const { host } = await processes.machine();
        const key = sessionKey({ client, session, agent: null, host });
        const recorded = await recordCrew(registry, key, { count, now: surroundings.host.clock.now() });
        if (recorded.ok) return ok(null);
        return err(recorded.error.kind === "file" ? recorded.error.message : "it is not registered");
      });
    },
  };
}
