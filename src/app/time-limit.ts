// The time of a whole run: when it is over, what runs is cut short as by a cancel, and the run ends as its limit says.

import type { Clock } from "../host/clock.ts";

export interface TimeLimit {
  /** Aborts with the person's, and when the time is over. */
  readonly signal: AbortSignal;
  /** In words; null while there is time, or where the person was first. */
  reached(): string | null;
  /** Nothing runs any more. */
  end(): void;
}

/** `minutes` from now; null is no limit. */
export function timeLimit(clock: Clock, minutes: number | null, person: AbortSignal): TimeLimit {
  const own = new AbortController();
  let reason: string | null = null;
  const onPerson = (): void => own.abort(person.reason);
  if (person.aborted) onPerson();
  person.addEventListener("abort", onPerson, { once: true });
  const timer =
    minutes === null
      ? null
      : clock.after(minutes * 60_000, () => {
          if (own.signal.aborted) return;
          reason = `the time limit of ${minutes} min is reached`;
          own.abort(reason);
        });
  return {
    signal: own.signal,
    reached: () => reason,
    end: () => {
      timer?.cancel();
      person.removeEventListener("abort", onPerson);
    },
  };
}
