// The command that goes on with a run: where a limit has ended it, with a larger one, so that it works as it stands.

import { settingsMax } from "../app/settings-max.ts";

export interface RunToResume {
  /** `skein swarm` or `skein run`. */
  readonly kind: "swarm" | "run";
  readonly runId: string;
  /** Why it ended. */
  readonly reason: string;
  /** Dollars so far, what is only assumed included: a budget may have been set below them. Null where it is not known. */
  readonly spentUsd: number | null;
}

export function resumeCommand({ kind, runId, reason, spentUsd }: RunToResume): string {
  const limit = reachedLimit(reason, spentUsd ?? 0);
  const flags = limit === null ? "" : ` ${limit.flag} ${limit.larger}`;
  return `skein ${kind} --resume ${runId}${flags}`;
}

export interface ReachedLimit {
  readonly flag: "--budget" | "--max-requests" | "--max-minutes";
  /** A value with which it goes on for a good while; as the flag takes it. */
  readonly larger: string;
}

/** Null where the reason is another. Its words are those of the swarm's and the lone run's budgets. */
export function reachedLimit(reason: string, spentUsd = 0): ReachedLimit | null {
  const [, requests] = /^(?:the run may make|the limit of) (\d+) model requests/.exec(reason) ?? [];
  if (requests !== undefined) return { flag: "--max-requests", larger: text(Number(requests) * 2, "requests") };
  const [, minutes] = /^the time limit of ([\d.]+) min/.exec(reason) ?? [];
  if (minutes !== undefined) return { flag: "--max-minutes", larger: text(Number(minutes) * 2, "minutes") };
  const [, budget, left = "0", needed = "0"] =
    /^the budget of \$([\d.]+) has \$([\d.]+) left(?:.*? which can cost \$([\d.]+))?/.exec(reason) ??
    /; not tried again: the budget of \$([\d.]+) has no room for another attempt$/.exec(reason) ??
    [];
  if (budget === undefined) return null;
  const spent = Math.max(spentUsd, Number(budget) - Number(left));
  const larger = Math.max(Number(budget) * 2, spentUsd * 1.5, spent + Number(needed) * requestsMore);
  return { flag: "--budget", larger: text(roundedUp(larger), "budgetUsd") };
}

/** Of what one request can cost at the most: what is left over may be too little for the first of them. */
const requestsMore = 5;

function text(value: number, name: "budgetUsd" | "requests" | "minutes"): string {
  return String(Math.min(value, settingsMax[name]));
}

/** To two digits. */
function roundedUp(value: number): number {
  const digits = Math.max(0, 1 - Math.floor(Math.log10(value)));
  const scale = 10 ** digits;
  // 0.06 · 100 is 6.000000000000001.
  return Math.ceil(Number((value * scale).toPrecision(12))) / scale;
}
