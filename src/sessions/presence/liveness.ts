// Whether a session's process still lives, decided when it is read: live, dead, or unknown.
// Invariant: only what the system says of exactly that process makes it dead; wall time never does, and a failure to look is unknown.

import { unreachable } from "../../base/assert.ts";
import type { Machine, ProcessLook, ProcessStart } from "../../host/process-table.ts";

export interface AgentProcess {
  readonly pid: number;
  /** Null where it could not be read when the session was recorded. */
  readonly start: ProcessStart | null;
}

export type Liveness =
  | { readonly kind: "live" }
  | { readonly kind: "dead"; readonly why: string }
  | { readonly kind: "unknown"; readonly why: string };

export interface LivenessCase {
  readonly process: AgentProcess | null;
  /** Where the record was made. */
  readonly recorded: Machine;
  readonly here: Machine;
  /** Null where the process was not looked for. */
  readonly look: ProcessLook | null;
  /** One process serves many sessions: it living says nothing once this one has been silent for long. */
  readonly shared: boolean;
  readonly silentMs: number;
}

/** A session of a shared process is believed in for so long after its last sign of life. */
export const sharedSilentMsMax = 30 * 60_000;

/** How far apart two tellings of one start may be where it is given in whole seconds. */
const startSecondsApartMax = 2;

/** A look is worth taking only where this is null; else it is the verdict. */
export function verdictWithoutLook(
  process: AgentProcess | null,
  recorded: Machine,
  here: Machine,
): Exclude<Liveness, { readonly kind: "live" }> | null {
  if (recorded.host !== here.host) return { kind: "unknown", why: "another host" };
  if (recorded.boot === null || here.boot === null) return { kind: "unknown", why: "the system's start is not known" };
  if (recorded.boot !== here.boot) return { kind: "dead", why: "the system was restarted" };
  if (recorded.namespace === null || recorded.namespace !== here.namespace)
    return { kind: "unknown", why: "another process namespace" };
  return process === null ? { kind: "unknown", why: "its process is not known" } : null;
}

export function livenessOf({ process, recorded, here, look, shared, silentMs }: LivenessCase): Liveness {
  const known = verdictWithoutLook(process, recorded, here);
  if (known !== null) return known;
  if (look === null) return { kind: "unknown", why: "its process was not looked for" };
  switch (look.kind) {
    case "gone":
      return { kind: "dead", why: "its process has ended" };
    case "zombie":
      return { kind: "dead", why: "its process has ended (zombie)" };
    case "unreadable":
      return { kind: "unknown", why: look.message };
    case "running":
      if (process?.start && !isSameStart(process.start, look.start))
        return { kind: "dead", why: "its process number belongs to another process" };
      break;
    case "hidden":
      break;
    default:
      return unreachable(look);
  }
  if (shared && silentMs > sharedSilentMsMax)
    return { kind: "unknown", why: "its process serves many sessions, and this one is silent" };
  return { kind: "live" };
}

/** Ticks are exact. Seconds are not: beyond the tolerance it is another process only if it is another program, too. */
export function isSameStart(recorded: ProcessStart, seen: ProcessStart): boolean {
  if (recorded.kind === "ticks" && seen.kind === "ticks") return recorded.ticks === seen.ticks;
  if (recorded.kind === "second" && seen.kind === "second")
    return Math.abs(recorded.epochS - seen.epochS) <= startSecondsApartMax || recorded.command === seen.command;
  return false;
}
