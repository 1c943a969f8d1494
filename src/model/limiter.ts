// The limiter of one provider's host, shared by everybody who asks it: who may send a model request, and when. A permit is held
// for one attempt at one request, never across tool calls. A refusal (429, 529) makes all wait: shared backoff, fewer at once
// (additive increase, multiplicative decrease), until the provider answers again.

import { assert } from "../base/assert.ts";
import type { AgentId } from "../base/ids.ts";
import type { Clock } from "../host/clock.ts";
import type { Random } from "../host/random.ts";
import { type BackoffSettings, backoffMs } from "./backoff.ts";
import { FairQueue } from "./fair-queue.ts";
import { MinuteWindow } from "./minute-window.ts";
import type { ModelError } from "./provider.ts";

export interface LimiterSettings extends BackoffSettings {
  /** Requests at once. */
  readonly concurrentMax: number;
  /** Requests sent in any 60 seconds, retries included; null for no such limit. */
  readonly requestsPerMinute: number | null;
  /** Attempts at one request that break, or end in an error of the provider's: each of them may have cost something. */
  readonly attemptsBrokenMax: number;
  /** Of these, attempts in which nothing came for `silenceMsMax`, or no answer began: each of them takes minutes. */
  readonly attemptsSilentMax: number;
  /** Attempts at one request that the provider refuses before it says anything (429, 529); they cost nothing. */
  readonly attemptsRefusedMax: number;
  /** A request's attempts and its own pauses together, after which it is not tried again. Waiting in the queue does not count. */
  readonly requestMsMax: number;
  /** How long a request waits for a provider that refuses everybody, named times included: two waits of a minute fit. */
  readonly outageMsMax: number;
  /** An attempt that says nothing for this long has broken. A call says nothing until its arguments are whole. */
  readonly silenceMsMax: number;
}

export const LIMITER_SETTINGS: LimiterSettings = {
  concurrentMax: 16,
  requestsPerMinute: null,
  attemptsBrokenMax: 5,
  attemptsSilentMax: 2,
  attemptsRefusedMax: 100,
  requestMsMax: 1_800_000,
  outageMsMax: 150_000,
  silenceMsMax: 600_000,
  backoffMsMin: 1_000,
  backoffMsMax: 20_000,
};

export interface LimiterOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** What is left out is as in `LIMITER_SETTINGS`. */
  readonly settings: Partial<LimiterSettings>;
  /** Requests that an earlier process may have sent within the last minute: they hold places in this one's. */
  readonly requestsBefore?: number;
}

/** The right to send one attempt. */
export interface Permit {
  /** The provider answers: it takes requests again. */
  answered(): void;
  /** The provider refused for load: `rate-limit` or `overloaded`. */
  refused(error: ModelError): void;
  /** Once the attempt is over, however it ended; a second time does nothing. */
  release(): void;
}

export type Acquired =
  | { readonly kind: "permit"; readonly permit: Permit }
  | { readonly kind: "aborted" }
  /** The provider refuses everybody, and for longer than the request may wait. */
  | { readonly kind: "given-up"; readonly error: ModelError };

export interface Applicant {
  readonly agent: AgentId;
  /** When its request began, on the monotonic clock. */
  readonly sinceMs: number;
  readonly signal: AbortSignal;
}

/** For people: what the limiter does now. */
export interface LimiterView {
  readonly running: number;
  readonly waiting: number;
  /** At once, as things are: `concurrentMax` or less after refusals. */
  readonly allowed: number;
  /** Until the pause after a refusal ends; 0 without one. */
  readonly pausedMs: number;
}

export interface Limiter {
  readonly clock: Clock;
  readonly random: Random;
  readonly settings: LimiterSettings;
  /** In order of asking, agents taking turns. Never rejects. */
  acquire(applicant: Applicant): Promise<Acquired>;
  view(): LimiterView;
}

export function createLimiter(options: LimiterOptions): Limiter {
  return new SharedLimiter(options);
}

interface Ticket {
  readonly sinceMs: number;
  readonly answer: (acquired: Acquired) => void;
}

class SharedLimiter implements Limiter {
  readonly clock: Clock;
  readonly random: Random;
  readonly settings: LimiterSettings;
  private readonly window: MinuteWindow | null;
  private readonly queue = new FairQueue<AgentId, Ticket>();
  private timer: { cancel(): void } | null = null;
  private running = 0;
  private allowed: number;
  private pausedUntilMs = Number.NEGATIVE_INFINITY;
  /** Number of the last wave of refusals. What was sent before a wave began belongs to it. */
  private wave = 0;
  private wavesInRow = 0;
  /** Since when nothing but refusals came; null while the provider answers. */
  private outage: { readonly sinceMs: number; readonly last: ModelError } | null = null;

  constructor({ clock, random, settings, requestsBefore = 0 }: LimiterOptions) {
    this.clock = clock;
    this.random = random;
    this.settings = { ...LIMITER_SETTINGS, ...settings };
    const { concurrentMax, requestsPerMinute } = this.settings;
    assert(Number.isInteger(concurrentMax) && concurrentMax >= 1, "at least one request at once");
    this.allowed = concurrentMax;
    this.window = requestsPerMinute === null ? null : new MinuteWindow(requestsPerMinute);
    const nowMs = clock.monotonicMs();
    for (let n = 0; n < Math.min(requestsBefore, requestsPerMinute ?? 0); n++) this.window?.take(nowMs);
  }

  acquire({ agent, sinceMs, signal }: Applicant): Promise<Acquired> {
    if (signal.aborted) return Promise.resolve({ kind: "aborted" });
    const { promise, resolve } = Promise.withResolvers<Acquired>();
    const ticket: Ticket = {
      sinceMs,
      answer: (acquired) => {
        signal.removeEventListener("abort", onAbort);
        resolve(acquired);
      },
    };
    const onAbort = () => {
      this.queue.remove(agent, ticket);
      ticket.answer({ kind: "aborted" });
      this.pump();
    };
    signal.addEventListener("abort", onAbort);
    this.queue.add(agent, ticket);
    this.giveUp();
    this.pump();
    return promise;
  }

  view(): LimiterView {
    const pausedMs = Math.max(0, this.pausedUntilMs - this.clock.monotonicMs());
    return { running: this.running, waiting: this.queue.size, allowed: Math.floor(this.allowed), pausedMs };
  }

  /** Answers whoever may go now, and sets the timer for the next one if only time is in its way. */
  private pump(): void {
    this.timer?.cancel();
    this.timer = null;
    while (this.queue.size > 0 && this.running < Math.floor(this.allowed)) {
      const nowMs = this.clock.monotonicMs();
      const opensMs = Math.max(this.pausedUntilMs, this.window?.opensMs(nowMs) ?? nowMs);
      if (opensMs > nowMs) {
        this.timer = this.clock.after(Math.ceil(opensMs - nowMs), () => this.pump());
        return;
      }
      this.window?.take(nowMs);
      this.running++;
      this.queue.shift()?.answer({ kind: "permit", permit: this.permit(this.wave) });
    }
  }

  private permit(sentAfter: number): Permit {
    let held = true;
    return {
      answered: () => this.answered(sentAfter),
      refused: (error) => this.refused(sentAfter, error),
      release: () => {
        if (!held) return;
        held = false;
        this.running--;
        this.pump();
      },
    };
  }

  /** An answer to what was sent before the last refusals does not say that they are over. */
  private answered(sentAfter: number): void {
    if (sentAfter !== this.wave) return;
    this.outage = null;
    this.wavesInRow = 0;
    // One more at once for each round of as many answers as there are at once.
    this.allowed = Math.min(this.settings.concurrentMax, this.allowed + 1 / this.allowed);
    this.pump();
  }

  private refused(sentAfter: number, error: ModelError): void {
    const nowMs = this.clock.monotonicMs();
    this.outage = { sinceMs: this.outage?.sinceMs ?? nowMs, last: error };
    const newWave = sentAfter === this.wave;
    if (newWave) {
      this.wave++;
      this.wavesInRow++;
      this.allowed = Math.max(1, this.allowed / 2);
    }
    // Others of the same wave make the pause longer only if they name a later time.
    if (newWave || error.retryAfterMs !== null) {
      const waitMs = backoffMs(this.random, { nth: this.wavesInRow, retryAfterMs: error.retryAfterMs }, this.settings);
      this.pausedUntilMs = Math.max(this.pausedUntilMs, nowMs + waitMs);
    }
    this.giveUp();
    this.pump();
  }

  /** Nobody is kept waiting for the end of a pause that lies beyond what a request may wait. */
  private giveUp(): void {
    const { outage, pausedUntilMs, settings } = this;
    if (outage === null) return;
    const hopeless = (ticket: Ticket) =>
      pausedUntilMs - Math.max(ticket.sinceMs, outage.sinceMs) > settings.outageMsMax;
    const gone = this.queue.removeWhere(hopeless);
    if (gone.length === 0) return;
    const nowMs = this.clock.monotonicMs();
    const seconds = (ms: number) => `${Math.ceil(Math.max(0, ms) / 1_000)} s`;
    const message = `${outage.last.message}; given up: refused for ${seconds(nowMs - outage.sinceMs)}, the next try could be made in ${seconds(pausedUntilMs - nowMs)}, and a request waits ${seconds(settings.outageMsMax)} at the most`;
    for (const ticket of gone) ticket.answer({ kind: "given-up", error: { ...outage.last, message } });
  }
}
