// What is true of a session as a whole, from one event and what was known before. What an event does not say stays as it was.

import type { Machine } from "../../host/process-table.ts";
import type { ClientEvent } from "../client-event.ts";
import type { FoundProcess } from "./agent-process.ts";
import { type Facts, limits } from "./line.ts";
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
  const process = found === null ? (known?.process ?? null) : { pid: found.pid, start: found.start };
  const moved = known === null || event.action.kind === "session-started" || event.action.kind === "moved";
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

export function sameFacts(a: Facts, b: Facts): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function capped(text: string, charsMax: number): string {
  return text.slice(0, charsMax).toWellFormed();
}
