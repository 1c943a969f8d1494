// What a failed attempt means for its request: whether it is tried again, after how long, and when that ends.

import { unreachable } from "../base/assert.ts";
import { backoffMs } from "./backoff.ts";
import type { Limiter } from "./limiter.ts";
import type { AttemptReport, ModelError } from "./provider.ts";

/** `never`: the same request would fail in the same way, or a person must act. A quota that is used up is no bad key. */
export function retryOf({ code }: ModelError): "refused" | "again" | "never" {
  switch (code) {
    case "rate-limit":
    case "overloaded":
      return "refused";
    case "unreachable":
    case "network":
    case "bad-answer":
    case "no-content":
    case "other":
      return "again";
    case "unauthorized":
    case "quota":
    case "bad-request":
    case "not-found":
    case "refusal":
    case "script":
    case "replay":
      return "never";
    default:
      return unreachable(code);
  }
}

/** Whether a provider surely charges nothing: it answered with a refusal before it said anything else. */
export function surelyFree({ code, uncharged }: ModelError, saidSomething: boolean): boolean {
  if (saidSomething) return false;
  if (uncharged === true) return true;
  switch (code) {
    case "rate-limit":
    case "overloaded":
    case "unauthorized":
    case "quota":
    case "bad-request":
    case "not-found":
    case "unreachable":
    case "script":
    case "replay":
      return true;
    // A lost connection or a fault in the stream may have come after it had worked.
    case "refusal":
    case "network":
    case "bad-answer":
    case "no-content":
    case "other":
      return false;
    default:
      return unreachable(code);
  }
}

/**
 * What a request that is not tried again has failed by. `request`: what it says, so that any provider may answer it so again.
 * `provider`: its service, its account or the way there; the same request succeeds once that is mended.
 */
export function blameOf({ code }: ModelError): "request" | "provider" {
  switch (code) {
    case "bad-request":
    case "refusal":
    case "no-content":
    case "script":
    case "replay":
      return "request";
    case "unauthorized":
    case "quota":
    case "not-found":
    case "rate-limit":
    case "overloaded":
    case "unreachable":
    case "network":
    case "bad-answer":
    case "other":
      return "provider";
    default:
      return unreachable(code);
  }
}

export type Verdict =
  | { readonly kind: "again"; readonly notBeforeMs: number }
  | { readonly kind: "give-up"; readonly error: ModelError };

/** The tries of one request: counts them against the limits. */
export class Tries {
  private readonly limiter: Limiter;
  private broken = 0;
  private refused = 0;
  private silent = 0;
  /** Attempts and own pauses; not the time in the queue. */
  private spentMs = 0;

  constructor(limiter: Limiter) {
    this.limiter = limiter;
  }

  after({ number, mayCost, durationMs }: AttemptReport, error: ModelError): Verdict {
    const { clock, random, settings } = this.limiter;
    const retry = retryOf(error);
    if (retry === "never") return { kind: "give-up", error };
    // A refusal in the middle of an answer may have been charged: it counts with those.
    if (retry === "refused" && !mayCost) this.refused++;
    else this.broken++;
    if (error.silent === true) this.silent++;
    this.spentMs += durationMs;
    // The limiter makes everybody wait after a refusal; a broken attempt is its request's own affair.
    const waitMs =
      retry === "refused" ? 0 : backoffMs(random, { nth: this.broken, retryAfterMs: error.retryAfterMs }, settings);
    this.spentMs += waitMs;
    const counted =
      this.broken >= settings.attemptsBrokenMax ||
      this.refused >= settings.attemptsRefusedMax ||
      this.silent >= settings.attemptsSilentMax;
    if (!counted && this.spentMs <= settings.requestMsMax)
      return { kind: "again", notBeforeMs: clock.monotonicMs() + waitMs };
    const limit = counted ? "" : `, since a request may take ${Math.round(settings.requestMsMax / 1_000)} s`;
    const attempts = number === 1 ? "1 attempt" : `${number} attempts`;
    return { kind: "give-up", error: { ...error, message: `${error.message}; given up after ${attempts}${limit}` } };
  }
}
