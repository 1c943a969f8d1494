// How long a provider asks to wait, in the forms in which it says so.

import type { Clock } from "../../host/clock.ts";

/** Longer is no wait for a request but a mistake, or a date of another clock. */
const retryAfterMsMax = 24 * 60 * 60_000;

/**
 * Milliseconds, rounded up; null if nothing is said or it makes no sense. From `retry-after-ms`, else `retry-after` (seconds,
 * also fractions, or a date: RFC 9110 section 10.2.3), else `retryDelay` (google.rpc.RetryInfo: `34.07s`).
 */
export function retryAfterMs(
  headers: Readonly<Record<string, string>>,
  retryDelay: string | null,
  clock: Clock,
): number | null {
  const { "retry-after-ms": ms, "retry-after": after } = headers;
  return (
    waitMs(decimal(ms), 1) ??
    waitMs(decimal(after), 1_000) ??
    dateMs(after, clock) ??
    waitMs(decimal(/^([\d.]+)s$/.exec(retryDelay ?? "")?.[1]), 1_000)
  );
}

function decimal(text: string | undefined): number {
  return text !== undefined && /^\s*\d+(\.\d+)?\s*$/.test(text) ? Number(text) : Number.NaN;
}

function waitMs(value: number, unitMs: number): number | null {
  const ms = Math.ceil(value * unitMs);
  return Number.isFinite(ms) && ms <= retryAfterMsMax ? ms : null;
}

/** A date that is past means: now. */
function dateMs(text: string | undefined, clock: Clock): number | null {
  return text === undefined || !/[a-z]/i.test(text) ? null : waitMs(Math.max(0, Date.parse(text) - clock.now()), 1);
}
