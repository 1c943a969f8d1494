// How long to wait before asking again: never before the time a provider named, and never in step with others.

import type { Random } from "../host/random.ts";

export interface BackoffSettings {
  /** Upper bound of the first wait; it doubles with each further one. */
  readonly backoffMsMin: number;
  /** Upper bound of every wait for which the provider named no time. */
  readonly backoffMsMax: number;
}

/** What is added to a named time, so that those who were told the same do not come back together: up to a tenth of it, within these. */
const spreadMsMin = 100;
const spreadMsMax = 5_000;

/**
 * Milliseconds to wait after the `nth` failure in a row (from 1). With a named time: that time plus a spread, never less.
 * Without: exponential with full jitter, uniform in [0, min(max, min · 2ⁿ⁻¹)) (M. Brooker, "Exponential Backoff And Jitter",
 * AWS Architecture Blog, 2015).
 */
export function backoffMs(
  random: Random,
  failure: { readonly nth: number; readonly retryAfterMs: number | null },
  settings: BackoffSettings,
): number {
  const { nth, retryAfterMs } = failure;
  if (retryAfterMs !== null && Number.isFinite(retryAfterMs) && retryAfterMs >= 0) {
    return retryAfterMs + random.unit() * Math.min(spreadMsMax, Math.max(spreadMsMin, retryAfterMs / 10));
  }
  return random.unit() * Math.min(settings.backoffMsMax, settings.backoffMsMin * 2 ** (nth - 1));
}
