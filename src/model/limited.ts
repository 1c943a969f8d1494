// A provider behind a limiter: each request is sent under a permit and tried again where that helps. What a broken attempt said is
// void: its text is taken back by the attempt's `ended` event, its calls are never seen. The stream still ends exactly once.

import type { Clock } from "../host/clock.ts";
import { runAttempt } from "./attempt.ts";
import type { Limiter } from "./limiter.ts";
import type { AttemptReport, ModelRequest, Provider, RequestContext, StreamEvent } from "./provider.ts";
import { Tries } from "./verdict.ts";

export interface LimitedOptions {
  /** Told of each attempt once it is over, aborted and failed ones included. Must not throw. */
  readonly onAttempt?: (report: AttemptReport, context: RequestContext) => void;
  /**
   * Asked before a request is sent once more after the attempt; a string is the reason (a budget's) not to. For attempts
   * that cost nothing too: see `mayCost`. Must not throw.
   */
  readonly mayRetry?: (failed: AttemptReport, context: RequestContext) => Promise<string | null>;
  /** Once it aborts nothing more is sent: a request that waits for its turn ends as aborted, one on its way is answered. */
  readonly hold?: AbortSignal;
}

/** All providers of one host (and key) take the same limiter. */
export function limited(provider: Provider, limiter: Limiter, options: LimitedOptions = {}): Provider {
  const { name, scripted, price } = provider;
  return {
    name,
    scripted,
    price,
    request: (request, signal) => answer({ provider, limiter, options }, request, signal),
  };
}

interface Setup {
  readonly provider: Provider;
  readonly limiter: Limiter;
  readonly options: LimitedOptions;
}

async function* answer(setup: Setup, request: ModelRequest, signal: AbortSignal): AsyncGenerator<StreamEvent> {
  const { provider, limiter, options } = setup;
  const { clock } = limiter;
  const { context } = request;
  const onAttempt = (report: AttemptReport) => options.onAttempt?.(report, context);
  const tries = new Tries(limiter);
  const waits = options.hold === undefined ? signal : AbortSignal.any([signal, options.hold]);
  const sinceMs = clock.monotonicMs();
  let notBeforeMs = sinceMs;
  for (let number = 1; ; number++) {
    yield { kind: "attempt", attempt: { kind: "waiting", number } };
    const waitFromMs = clock.monotonicMs();
    await sleepUntil(clock, notBeforeMs, waits);
    const acquired = await limiter.acquire({ agent: context.agent, sinceMs, signal: waits });
    if (acquired.kind === "aborted") return yield { kind: "aborted" };
    if (acquired.kind === "given-up") return yield { kind: "error", error: acquired.error };
    const waitedMs = clock.monotonicMs() - waitFromMs;
    const { permit } = acquired;
    if (waits.aborted) {
      permit.release();
      return yield { kind: "aborted" };
    }
    const { report, calls, last } = yield* runAttempt({
      provider,
      limiter,
      permit,
      request,
      signal,
      number,
      waitedMs,
      onAttempt,
    });
    yield { kind: "attempt", attempt: { kind: "ended", report } };
    if (last.kind === "done") for (const call of calls) yield { kind: "call", call };
    if (last.kind !== "error") return yield last;
    const verdict = tries.after(report, last.error);
    if (verdict.kind === "give-up") return yield { kind: "error", error: verdict.error };
    const refusal = (await options.mayRetry?.(report, context)) ?? null;
    if (refusal !== null) {
      const message = `${last.error.message}; not tried again: ${refusal}`;
      return yield { kind: "error", error: { ...last.error, message } };
    }
    notBeforeMs = verdict.notBeforeMs;
  }
}

/** A timer may fire a little early; what is waited for here is a lower bound. */
async function sleepUntil(clock: Clock, untilMs: number, signal: AbortSignal): Promise<void> {
  for (;;) {
    const leftMs = untilMs - clock.monotonicMs();
    if (leftMs <= 0 || signal.aborted) return;
    await clock.sleep(Math.ceil(leftMs), signal);
  }
}
