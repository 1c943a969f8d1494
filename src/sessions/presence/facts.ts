// What is true of a session as a whole, from one event and what was known before. What an event does not say stays as it was.

import type { Machine } from "../../host/process-table.ts";
import type { ClientEvent } from "../client-event.ts";
import type { FoundProcess } from "./agent-process.ts";
import { type Facts, limits } from "./line.ts";
import type { AgentProcess } from "./liveness.ts";
import type { Place } from "./place.ts";

export interface Terminal {
  /** `$TMUX_PANE`, and the server's socket of `$TMUX`: `%3 /tmp/tmux-1000/default`. */
  readonly tmux: string | null;
}

export interface FactSources {
  readonly known: Facts | null;
  readonly machine: Machine;
  readonly found: FoundProcess | null;
  readonly place: Place;
  readonly terminal: Terminal;
}

export function factsOf(event: ClientEvent, { known, machine, found, place, terminal }: FactSources): Facts {
  const isStart = event.action.kind === "session-started";
  const process =
    found === null || (!isStart && isLeftTo(found, { known, machine })) ? (known?.process ?? null) : plain(found);
  const moved = known === null || isStart || event.action.kind === "moved";
  return {
    client: event.client,
    session: capped(event.session, limits.idChars),
    agent: event.agent === null ? null : capped(event.agent, limits.idChars),
    repository: known?.repository ?? capped(place.repository, limits.pathChars),
    cwd: moved ? capped(event.cwd, limits.pathChars) : known.cwd,
    process,
    shared: event.sharedProcess,
    machine,
    terminal: found?.terminal ?? known?.terminal ?? null,
    tmux: terminal.tmux === null ? (known?.tmux ?? null) : capped(terminal.tmux, limits.idChars),
    transcript: event.transcript === null ? (known?.transcript ?? null) : capped(event.transcript, limits.pathChars),
  };
}

/** A hook that outlives its agent is left to the machine's or the container's first process: that is the agent only where it was it before. */
function isLeftTo(found: FoundProcess, { known, machine }: Pick<FactSources, "known" | "machine">): boolean {
  const before = known?.process?.pid ?? null;
  if (known === null || before === null || found.pid !== firstPid) return false;
  return before !== firstPid && known.machine.boot === machine.boot && known.machine.namespace === machine.namespace;
}

const firstPid = 1;

function plain({ pid, start }: FoundProcess): AgentProcess {
  return { pid, start };
}

export function sameFacts(a: Facts, b: Facts): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function capped(text: string, charsMax: number): string {
  return text.slice(0, charsMax).toWellFormed();
}
