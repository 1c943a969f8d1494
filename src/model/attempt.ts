// One attempt at a request under a permit: its text goes on as it streams, its calls are kept until it has ended well. The permit is
// given back on every ending, an abort and a reader who leaves included, and nothing of it (timer, listener) is left behind.

import type { OrAborted } from "../base/abort.ts";
import { unreachable } from "../base/assert.ts";
import { BROKE_OFF, EMPTY_ANSWER } from "./bad-answer.ts";
import type { Limiter, Permit } from "./limiter.ts";
import type { ToolCall } from "./message.ts";
import { Patience } from "./patience.ts";
import type { AttemptReport, ModelError, ModelRequest, Provider, StreamEvent } from "./provider.ts";
import { USAGE_NONE, USAGE_UNKNOWN, type Usage } from "./usage.ts";
import { retryOf, surelyFree } from "./verdict.ts";

export interface AttemptSetup {
  readonly provider: Provider;
  readonly limiter: Limiter;
  readonly permit: Permit;
  readonly request: ModelRequest;
  readonly signal: AbortSignal;
  readonly number: number;
  readonly waitedMs: number;
  readonly onAttempt: (report: AttemptReport) => void;
}

export interface AttemptEnd {
  readonly report: AttemptReport;
  readonly calls: readonly ToolCall[];
  readonly last: Extract<StreamEvent, { kind: "done" | "error" | "aborted" }>;
}

/** Yields `started` and the text; the caller says how it ended. */
export async function* runAttempt(setup: AttemptSetup): AsyncGenerator<StreamEvent, AttemptEnd> {
  const { provider, limiter, permit, request, number, waitedMs } = setup;
  const patience = new Patience(limiter.clock, setup.signal, limiter.settings.silenceMsMax);
  let attempt: Attempt | null = null;
  let iterator: AsyncIterator<StreamEvent> | null = null;
  try {
    yield { kind: "attempt", attempt: { kind: "started", number, waitedMs } };
    attempt = new Attempt(setup);
    iterator = provider.request(request, patience.signal)[Symbol.asyncIterator]();
    for (;;) {
      const step = await patience.for(iterator.next());
      const event = eventOf(step, patience);
      if (event.kind === "text") yield event;
      const end = attempt.take(event);
      if (end !== null) return end;
    }
  } catch (thrown) {
    const message = `the provider ${provider.name} threw: ${thrown instanceof Error ? thrown.message : String(thrown)}`;
    const error: ModelError = { kind: "model", code: "other", message, retryAfterMs: null };
    attempt ??= new Attempt(setup);
    return attempt.take({ kind: "error", error }) ?? attempt.abandoned();
  } finally {
    patience.end();
    permit.release();
    // Not awaited: a provider that hangs must not hold up whoever waits for the permit.
    iterator?.return?.().catch(() => {});
    if (attempt !== null) setup.onAttempt(attempt.abandoned().report);
  }
}

function eventOf(step: OrAborted<IteratorResult<StreamEvent>>, patience: Patience): StreamEvent {
  if (step.kind === "value") {
    const event: StreamEvent = step.value.done === true ? { kind: "error", error: BROKE_OFF } : step.value.value;
    // A provider that notices the cut by itself says that it was aborted.
    if (event.kind !== "aborted" || !patience.silent) return event;
  }
  return patience.silent ? { kind: "error", error: patience.error() } : { kind: "aborted" };
}

/** What has been said in an attempt, and how it ended. */
class Attempt {
  private readonly setup: AttemptSetup;
  private readonly startMs: number;
  private readonly startedMs: number;
  private readonly calls: ToolCall[] = [];
  private said = false;
  private end: AttemptEnd | null = null;

  constructor(setup: AttemptSetup) {
    this.setup = setup;
    this.startMs = setup.limiter.clock.now();
    this.startedMs = setup.limiter.clock.monotonicMs();
  }

  /** The end, if the event is one. */
  take(event: StreamEvent): AttemptEnd | null {
    switch (event.kind) {
      case "text":
        this.saysSomething();
        return null;
      case "call":
        this.saysSomething();
        this.calls.push(event.call);
        return null;
      case "done":
        return this.done(event);
      case "error":
        return this.failed(event.error);
      case "aborted":
        return this.abandoned();
      // A provider that tries again by itself: its own attempts are not ours to count.
      case "attempt":
        return null;
      default:
        return unreachable(event);
    }
  }

  /** The end, or the one that it has if nobody goes on with it. */
  abandoned(): AttemptEnd {
    return this.end ?? this.ended({ kind: "aborted" }, null, USAGE_UNKNOWN);
  }

  private saysSomething(): void {
    if (!this.said) this.setup.permit.answered();
    this.said = true;
  }

  private done(event: Extract<StreamEvent, { kind: "done" }>): AttemptEnd {
    const empty = !this.said && event.stop !== "length";
    this.saysSomething();
    return empty
      ? this.ended({ kind: "error", error: EMPTY_ANSWER }, EMPTY_ANSWER, event.usage)
      : this.ended(event, null, event.usage);
  }

  private failed(error: ModelError): AttemptEnd {
    const free = surelyFree(error, this.said);
    if (retryOf(error) === "refused") this.setup.permit.refused(error);
    // Whoever says no for another reason takes requests; who cannot be reached says nothing.
    else if (error.code !== "network" && error.code !== "unreachable") this.setup.permit.answered();
    return this.ended({ kind: "error", error }, error, free ? USAGE_NONE : USAGE_UNKNOWN, !free);
  }

  private ended(last: AttemptEnd["last"], error: ModelError | null, usage: Usage, mayCost = true): AttemptEnd {
    const { number, waitedMs, limiter } = this.setup;
    const durationMs = limiter.clock.monotonicMs() - this.startedMs;
    const outcome = last.kind === "done" ? last.stop : last.kind;
    const { startMs } = this;
    const report: AttemptReport = { number, outcome, error, mayCost, usage, startMs, waitedMs, durationMs };
    this.end = { report, calls: this.calls, last };
    return this.end;
  }
}
