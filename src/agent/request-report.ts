// What is known of one model request once it is over: for the bill, the transcript and the screen.

import type { Clock } from "../host/clock.ts";
import type { AttemptReport, AttemptState, ModelError } from "../model/provider.ts";
import { addFigures, costUsd, type Figure, type Price, USAGE_NONE, type Usage } from "../model/usage.ts";

/** What one attempt has cost, or may have: then its figures are unavailable. */
export interface Charge {
  readonly usage: Usage;
  readonly costUsd: Figure;
}

/** One finished model request, failed and aborted ones included. */
export interface RequestReport {
  readonly turn: number;
  /** The provider's name. */
  readonly provider: string;
  readonly scripted: boolean;
  readonly outcome: "end" | "calls" | "length" | "error" | "aborted";
  readonly error: ModelError | null;
  /** Sum of `charges`: unavailable as soon as one is, and 0 if nothing was charged. */
  readonly usage: Usage;
  readonly costUsd: Figure;
  /** Each attempt that was charged for or may have been, in order; refused ones are not among them. */
  readonly charges: readonly Charge[];
  /** The attempts that are over, where the provider tells of them (it does behind a limiter). */
  readonly attempts: readonly AttemptReport[];
  /** Wall time, milliseconds since the epoch. */
  readonly startMs: number;
  readonly endMs: number;
  /** Measured on the monotonic clock, from start to end. */
  readonly durationMs: number;
  /** Of `durationMs`, the time in the limiter's queue and in pauses, in which nothing was asked of the provider. */
  readonly waitedMs: number;
}

/** How often the request was sent: an attempt that an abort cut off before its report is among the charges. */
export function attemptsSent({ attempts, charges }: Pick<RequestReport, "attempts" | "charges">): number {
  return attempts.length + charges.length - attempts.filter(({ mayCost }) => mayCost).length;
}

export function chargesOf(
  usages: readonly Usage[],
  price: Price | null,
): { readonly usage: Usage; readonly costUsd: Figure; readonly charges: readonly Charge[] } {
  const charges = usages.map((usage) => ({ usage, costUsd: costUsd(usage, price) }));
  const [first, ...rest] = charges;
  if (first === undefined) return { usage: USAGE_NONE, costUsd: 0, charges };
  const sum = rest.reduce(
    (sum, charge) => ({ usage: addUsage(sum.usage, charge.usage), costUsd: addFigures(sum.costUsd, charge.costUsd) }),
    first,
  );
  return { ...sum, charges };
}

function addUsage(a: Usage, b: Usage): Usage {
  const written =
    a.cacheWriteTokens === undefined && b.cacheWriteTokens === undefined
      ? {}
      : {
          cacheWriteTokens: addFigures(a.cacheWriteTokens ?? "unavailable", b.cacheWriteTokens ?? "unavailable"),
        };
  return {
    inputTokens: addFigures(a.inputTokens, b.inputTokens),
    cachedTokens: addFigures(a.cachedTokens, b.cachedTokens),
    ...written,
    outputTokens: addFigures(a.outputTokens, b.outputTokens),
  };
}

/** Measures how long a request waits, from its attempts' states. */
export class WaitWatch {
  private readonly clock: Clock;
  private waitedMs = 0;
  private sinceMs: number | null = null;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  see(attempt: AttemptState): void {
    this.waitedMs = this.totalMs();
    this.sinceMs = attempt.kind === "waiting" ? this.clock.monotonicMs() : null;
  }

  totalMs(): number {
    return this.waitedMs + (this.sinceMs === null ? 0 : this.clock.monotonicMs() - this.sinceMs);
  }
}
