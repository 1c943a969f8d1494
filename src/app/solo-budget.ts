// The budget and the time of one lone agent. A request is made only if the most it can cost fits, and so is each further attempt at
// one that may have been charged for: what is spent never passes the budget.

import type { RequestReport } from "../agent/request-report.ts";
import type { RequestLeave, RequestPlan } from "../agent/spec.ts";
import type { Clock } from "../host/clock.ts";
import type { AttemptReport } from "../model/provider.ts";
import { costUsdMax, type Price } from "../model/usage.ts";

/** An answer of fewer tokens is not worth asking for. */
const outputTokensMin = 512;

export interface SoloLimits {
  readonly clock: Clock;
  /** Known where there is a budget. */
  readonly price: Price | null;
  readonly budgetUsd: number | null;
  readonly minutes: number | null;
}

export class SoloBudget {
  readonly #limits: SoloLimits;
  readonly #startedMs: number;
  #spentUsd = 0;
  /** The most that one attempt at the request on its way can cost. */
  #attemptUsd = 0;
  /** Attempts at it that failed and may have been charged for. */
  #failedAttempts = 0;

  constructor(limits: SoloLimits) {
    this.#limits = limits;
    this.#startedMs = limits.clock.monotonicMs();
  }

  before({ system, messages, tools, outputTokensMax }: RequestPlan): RequestLeave {
    const { clock, minutes, budgetUsd, price } = this.#limits;
    if (minutes !== null && clock.monotonicMs() - this.#startedMs > minutes * 60_000)
      return { kind: "stop", reason: `the time limit of ${minutes} min is reached` };
    if (budgetUsd === null || price === null) return { kind: "go", outputTokensMax };
    // A token is at least one byte of what is sent.
    const inputTokens = Buffer.byteLength(JSON.stringify({ system, messages, tools }), "utf8");
    const cost = (outputTokens: number): number => costUsdMax({ inputTokens, outputTokens }, price);
    const room = budgetUsd - this.#spentUsd;
    const perToken = (cost(1_000_000) - cost(0)) / 1_000_000;
    const affordable = perToken === 0 ? outputTokensMax : Math.floor((room - cost(0)) / perToken);
    const tokens = Math.min(outputTokensMax, affordable);
    if (tokens < Math.min(outputTokensMin, outputTokensMax) || cost(tokens) > room) {
      const left = Math.max(0, room).toFixed(4);
      return { kind: "stop", reason: `the budget of $${budgetUsd} has $${left} left, too little for another request` };
    }
    this.#attemptUsd = cost(tokens);
    this.#failedAttempts = 0;
    return { kind: "go", outputTokensMax: tokens };
  }

  /** Why the request is not tried again; null if it may be. */
  mayRetry({ mayCost }: AttemptReport): string | null {
    const { budgetUsd } = this.#limits;
    if (mayCost) this.#failedAttempts += 1;
    if (budgetUsd === null) return null;
    const needed = this.#spentUsd + (this.#failedAttempts + 1) * this.#attemptUsd;
    return needed <= budgetUsd ? null : `the budget of $${budgetUsd} has no room for another attempt`;
  }

  after({ charges }: RequestReport): void {
    for (const { costUsd } of charges) this.#spentUsd += costUsd === "unavailable" ? this.#attemptUsd : costUsd;
  }
}
