// Places for children that work at the same time: first come, first served. Invariant: a place is held while its child works and not
// a moment longer, so one that is over keeps nobody waiting.

import { assert } from "../base/assert.ts";

export interface Slot {
  /** A second time does nothing. */
  release(): void;
}

export class Slots {
  private readonly atOnceMax: number;
  private held = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(atOnceMax: number) {
    assert(Number.isInteger(atOnceMax) && atOnceMax >= 1, "at least one place");
    this.atOnceMax = atOnceMax;
  }

  /** Null where the signal aborted first. */
  acquire(signal: AbortSignal): Promise<Slot | null> {
    const { promise, resolve } = Promise.withResolvers<Slot | null>();
    if (signal.aborted) return Promise.resolve(null);
    const take = () => {
      signal.removeEventListener("abort", onAbort);
      this.held += 1;
      resolve(this.slot());
    };
    const onAbort = () => {
      this.waiting.splice(this.waiting.indexOf(take), 1);
      resolve(null);
    };
    if (this.held < this.atOnceMax) take();
    else {
      this.waiting.push(take);
      signal.addEventListener("abort", onAbort, { once: true });
    }
    return promise;
  }

  private slot(): Slot {
    let held = true;
    return {
      release: () => {
        if (!held) return;
        held = false;
        this.held -= 1;
        this.waiting.shift()?.();
      },
    };
  }
}
