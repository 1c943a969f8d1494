// Waits: a named time is a lower bound, the others stay within a bound that doubles up to the cap.

import fc from "fast-check";
import { expect, test } from "vitest";
import { seededRandom } from "../testing/sim/random.ts";
import { backoffMs } from "./backoff.ts";

const settings = { backoffMsMin: 1_000, backoffMsMax: 60_000 };

/** A chance that always draws the same. */
const drawing = (unit: number) => ({ unit: () => unit, letters: () => "" });

test("H18 Retry-After is never undercut, and what is added is at most a tenth (0.1 to 5 s)", () => {
  const random = seededRandom(1, "backoff");
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1e7, noNaN: true }), fc.integer({ min: 1, max: 99 }), (retryAfterMs, nth) => {
      const waitMs = backoffMs(random, { nth, retryAfterMs }, settings);
      expect(waitMs).toBeGreaterThanOrEqual(retryAfterMs);
      expect(waitMs - retryAfterMs).toBeLessThanOrEqual(Math.min(5_000, Math.max(100, retryAfterMs / 10)) + 1e-6);
    }),
  );
});

test("without a named time the bound doubles from one second to a minute", () => {
  const waits = (unit: number) =>
    [1, 2, 3, 6, 7, 60].map((nth) => backoffMs(drawing(unit), { nth, retryAfterMs: null }, settings));
  expect([waits(0.5), waits(0)]).toEqual([
    [500, 1_000, 2_000, 16_000, 30_000, 30_000],
    [0, 0, 0, 0, 0, 0],
  ]);
});

test("a named time that is none counts as not named", () => {
  const waits = [Number.NaN, -5, Number.POSITIVE_INFINITY].map((retryAfterMs) =>
    backoffMs(drawing(0.5), { nth: 1, retryAfterMs }, settings),
  );
  expect(waits).toEqual([500, 500, 500]);
});
