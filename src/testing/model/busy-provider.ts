// A provider on a simulated clock that can be too busy: it takes so many at once, refuses and breaks as its plan says, and keeps
// account of what reached it. What it counts is the outside view that tests of the limiter compare with.

import type { Clock } from "../../host/clock.ts";
import type { ModelError, ModelRequest, Provider, StreamEvent } from "../../model/provider.ts";
import type { Price } from "../../model/usage.ts";
import { call, calling } from "../agent/rig.ts";

export type Plan =
  | { readonly kind: "answer" }
  | { readonly kind: "refuse"; readonly code: ModelError["code"]; readonly retryAfterMs: number | null }
  /** Says half a text, announces a call and ends in the error, or without any end. */
  | { readonly kind: "break"; readonly code: ModelError["code"] | null }
  /** Says nothing and does not notice an abort. */
  | { readonly kind: "hang" };

export interface Arrival {
  readonly agent: string;
  readonly atMs: number;
  readonly plan: Plan["kind"];
}

export interface BusyOptions {
  readonly clock: Clock;
  /** What happens to the `n`th arrival, from 1. */
  readonly plan: (n: number, request: ModelRequest) => Plan;
  /** More than this at once are refused with 429. */
  readonly atOnceMax?: number;
  readonly answerMs?: number;
  /** What follows the text of an answer; two calls by default. */
  readonly answer?: (request: ModelRequest) => readonly StreamEvent[];
}

export const refused = (code: ModelError["code"], retryAfterMs: number | null = null): Plan => ({
  kind: "refuse",
  code,
  retryAfterMs,
});

export class BusyProvider implements Provider {
  readonly name = "test/busy";
  readonly scripted = false;
  readonly price: Price | null = { inputUsdPerMtok: 10, cachedUsdPerMtok: 1, outputUsdPerMtok: 100 };
  readonly arrivals: Arrival[] = [];
  atOnce = 0;
  atOnceSeen = 0;
  private readonly options: BusyOptions;

  constructor(options: BusyOptions) {
    this.options = options;
  }

  async *request(request: ModelRequest, signal: AbortSignal): AsyncGenerator<StreamEvent> {
    const { clock, plan: planOf, atOnceMax = Number.POSITIVE_INFINITY, answerMs = 1_000 } = this.options;
    if (signal.aborted) return yield { kind: "aborted" };
    const n = this.arrivals.length + 1;
    this.atOnce++;
    const plan = this.atOnce > atOnceMax ? refused("rate-limit") : planOf(n, request);
    this.arrivals.push({ agent: request.context.agent, atMs: clock.monotonicMs(), plan: plan.kind });
    this.atOnceSeen = Math.max(this.atOnceSeen, this.atOnce);
    try {
      if (plan.kind === "hang") await new Promise(() => {});
      if (plan.kind === "refuse") {
        await clock.sleep(20, signal);
        return yield failing(plan.code, plan.retryAfterMs);
      }
      yield { kind: "text", text: plan.kind === "break" ? "hel" : "hello" };
      await clock.sleep(answerMs, signal);
      if (signal.aborted) return yield { kind: "aborted" };
      const looks = ["c1", "c2"].map((id) => call(id, "look", { n }));
      if (plan.kind !== "break") return yield* this.options.answer?.(request) ?? calling(...looks);
      yield* calling(...looks).slice(0, 1);
      if (plan.code !== null) yield failing(plan.code, null);
    } finally {
      this.atOnce--;
    }
  }

  /** The most arrivals in any 60 seconds. */
  perMinuteSeen(): number {
    const times = this.arrivals.map((arrival) => arrival.atMs);
    return Math.max(0, ...times.map((from) => times.filter((at) => at >= from && at < from + 60_000).length));
  }
}

function failing(code: ModelError["code"], retryAfterMs: number | null): StreamEvent {
  return { kind: "error", error: { kind: "model", code, message: `told ${code}`, retryAfterMs } };
}
