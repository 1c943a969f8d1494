// The window against a count by hand: whatever the times of asking, no 60 seconds see more arrivals than allowed.

import fc from "fast-check";
import { expect, test } from "vitest";
import { MinuteWindow } from "./minute-window.ts";

test("S18 no 60 seconds hold more arrivals than allowed, each up to two seconds after its start", () => {
  const gap = fc.record({ gapMs: fc.integer({ min: 0, max: 40_000 }), travelMs: fc.integer({ min: 0, max: 2_000 }) });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5 }), fc.array(gap, { maxLength: 60 }), (allowed, gaps) => {
      const window = new MinuteWindow(allowed);
      let nowMs = 0;
      const arrivals = gaps.map(({ gapMs, travelMs }) => {
        nowMs = window.opensMs(nowMs + gapMs);
        window.take(nowMs);
        return nowMs + travelMs;
      });
      const counts = arrivals.map((from) => arrivals.filter((at) => at >= from && at < from + 60_000).length);
      expect(Math.max(0, ...counts)).toBeLessThanOrEqual(allowed);
    }),
  );
});

test("a start at the end of one minute counts in the next", () => {
  const window = new MinuteWindow(2);
  window.take(59_000);
  window.take(59_500);
  expect([window.opensMs(59_600), window.opensMs(61_000), window.opensMs(121_000)]).toEqual([
    121_000, 121_000, 121_000,
  ]);
});

test("starts that are not made do not add up: after an idle hour the whole minute is there, and no more", () => {
  const window = new MinuteWindow(2);
  window.take(0);
  const opens = [1, 2, 3].map(() => {
    const atMs = window.opensMs(3_600_000);
    if (atMs === 3_600_000) window.take(atMs);
    return atMs;
  });
  expect(opens).toEqual([3_600_000, 3_600_000, 3_662_000]);
});
