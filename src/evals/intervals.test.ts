// Spans of time: covered time and how many at once, by hand.

import { expect, test } from "vitest";
import { type Interval, peakOf, unionMs } from "./intervals.ts";

const spans = (...pairs: readonly (readonly [number, number])[]): readonly Interval[] =>
  pairs.map(([startMs, endMs]) => ({ startMs, endMs }));

test.each<[string, readonly Interval[], number, number]>([
  ["nothing", spans(), 0, 0],
  ["one after another, touching", spans([0, 10], [10, 25]), 25, 1],
  ["apart, out of order", spans([20, 30], [0, 10]), 20, 1],
  ["overlapping", spans([0, 10], [5, 20], [8, 9]), 20, 3],
  ["one inside the other, and one that ends with it", spans([0, 100], [10, 20], [90, 100]), 100, 2],
  ["of no length", spans([5, 5], [5, 5]), 0, 1],
])("%s", (_, intervals, covered, peak) => {
  expect([unionMs(intervals), peakOf(intervals)]).toEqual([covered, peak]);
});
