// How long an attempt waits for the provider's next word: until the caller aborts, or nothing has come for too long. No timer and no
// listener outlives it.

import { type OrAborted, orAborted } from "../base/abort.ts";
import type { Clock } from "../host/clock.ts";
import type { ModelError } from "./provider.ts";

/** Waits for a provider's next word, but not for ever: its signal aborts with the caller's, and after too long a silence. */
export class Patience {
  readonly #clock: Clock;
  readonly #caller: AbortSignal;
  readonly #silenceMsMax: number;
  readonly #cut = new AbortController();
  readonly #onAbort = () => this.#cut.abort();
  silent = false;

  constructor(clock: Clock, caller: AbortSignal, silenceMsMax: number) {
    this.#clock = clock;
    this.#caller = caller;
    this.#silenceMsMax = silenceMsMax;
    if (caller.aborted) this.#cut.abort();
    else caller.addEventListener("abort", this.#onAbort);
  }

  get signal(): AbortSignal {
    return this.#cut.signal;
  }

  async for<T>(work: Promise<T>): Promise<OrAborted<T>> {
    const timer = this.#clock.after(this.#silenceMsMax, () => {
      this.silent = true;
      this.#cut.abort();
    });
    try {
      return await orAborted(work, this.#cut.signal);
    } finally {
      timer.cancel();
    }
  }

  error(): ModelError {
    const message = `the provider said nothing for ${Math.round(this.#silenceMsMax / 1_000)} s`;
    return { kind: "model", code: "network", message, retryAfterMs: null, silent: true };
  }

  end(): void {
    this.#caller.removeEventListener("abort", this.#onAbort);
    // A reader who left early: the provider is told to stop.
    this.#cut.abort();
  }
}
