// At most so many starts in any minute: a sliding window, so that no two halves of different minutes add up to more.
// A provider counts arrivals, not starts: a start holds its place for the longest time it may be on its way, too.

import { assert } from "../base/assert.ts";

const minuteMs = 60_000;
/** Longest time from a start to its arrival at the provider: connection set-up included. */
const arrivalMsMax = 2_000;

export class MinuteWindow {
  private readonly startsMax: number;
  /** Monotonic milliseconds, ascending; at most `startsMax`. */
  private readonly starts: number[] = [];

  constructor(startsMax: number) {
    assert(Number.isInteger(startsMax) && startsMax >= 1, "a minute allows at least one start");
    this.startsMax = startsMax;
  }

  /** When the next start may be made: `nowMs` if at once. */
  opensMs(nowMs: number): number {
    const spanMs = minuteMs + arrivalMsMax;
    while (this.starts[0] !== undefined && this.starts[0] + spanMs <= nowMs) this.starts.shift();
    const oldest = this.starts[0];
    return oldest === undefined || this.starts.length < this.startsMax ? nowMs : oldest + spanMs;
  }

  take(nowMs: number): void {
    assert(this.opensMs(nowMs) <= nowMs, "a start is taken only when the window is open");
    this.starts.push(nowMs);
  }
}
