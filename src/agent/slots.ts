// Places for children that work at the same time: first come, first served. Invariant: a place is held while its child works and not
// a moment longer, so one that is over, or that waits for others to be over, keeps nobody waiting.

import { orAborted } from "../base/abort.ts";
import { assert } from "../base/assert.ts";

interface Slot {
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

/** The place of one child, given up while any of its calls waits for other children and taken again afterwards. */
export class WorkPlace {
  private readonly slots: Slots;
  private slot: Slot | null;
  private waiting = 0;
  private left = false;

  private constructor(slots: Slots, slot: Slot) {
    this.slots = slots;
    this.slot = slot;
  }

  /** Null where the signal aborted first. */
  static async take(slots: Slots, signal: AbortSignal): Promise<WorkPlace | null> {
    const slot = await slots.acquire(signal);
    return slot === null ? null : new WorkPlace(slots, slot);
  }

  /** False where the signal aborted first. */
  async waitFor(work: Promise<unknown> | null, signal: AbortSignal): Promise<boolean> {
    if (work === null) return !signal.aborted;
    this.waiting += 1;
    this.giveUp();
    const waited = await orAborted(work, signal);
    this.waiting -= 1;
    if (waited.kind === "aborted") return false;
    const slot = this.slot === null ? await this.slots.acquire(signal) : null;
    // Another call may have taken it meanwhile, or have begun to wait.
    if (slot !== null && this.slot === null && this.waiting === 0 && !this.left) this.slot = slot;
    else slot?.release();
    return !signal.aborted;
  }

  leave(): void {
    this.left = true;
    this.giveUp();
  }

  private giveUp(): void {
    this.slot?.release();
    this.slot = null;
  }
}
