// Which of a client's events we hook, each with the first version that is known to have it.

import type { HookEntry } from "./hooks-file/hooks.ts";
import { forShell } from "./launcher-command.ts";
import type { EventPlan } from "./settings.ts";
import { isAtLeast, type Version } from "./version.ts";

export interface HookedEvent {
  readonly event: string;
  readonly since: Version;
  /** Which tools; null for all, or where the event has none. */
  readonly matcher: string | null;
  /** Those are shells alone. */
  readonly shell?: true;
}

export interface PlanOptions {
  readonly events: readonly HookedEvent[];
  /** What to take for a version that is not known. */
  readonly unknownAs: Version;
  readonly timeoutS: number;
}

export function planOf(
  { events, unknownAs, timeoutS }: PlanOptions,
  version: Version | null,
  command: string,
): EventPlan {
  const known = ({ since }: HookedEvent): boolean => isAtLeast(version ?? unknownAs, since);
  const entryOf = ({ event, matcher, shell }: HookedEvent): HookEntry => ({
    event,
    matcher,
    command: shell === true ? forShell(command) : command,
    timeoutS,
  });
  return {
    entries: events.filter(known).map(entryOf),
    leftOut: [...new Set(events.filter((one) => !known(one)).map(({ event }) => event))],
  };
}
