// Statistics against published and hand-calculated values; what a bootstrap of two values must give is counted out.

import { expect, test } from "vitest";
import { bootstrapDifference, mean, median, passAtK, passPowerK, quantile } from "./statistics.ts";

const rounded = (value: number): number => Math.round(value * 1e6) / 1e6;

test("median and quantiles are R's (type 7)", () => {
  const ten = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
  // quantile(1:10, c(0, .1, .25, .5, .75, .9, 1)) in R: 1.00 1.90 3.25 5.50 7.75 9.10 10.00
  expect({
    quantiles: [0, 0.1, 0.25, 0.5, 0.75, 0.9, 1].map((fraction) => rounded(quantile(ten.toReversed(), fraction))),
    medians: [[7], [1, 9], [9, 1, 5], [4, 1, 3, 2]].map(median),
    mean: mean([1, 0, 0, 1, 1]),
  }).toEqual({ quantiles: [1, 1.9, 3.25, 5.5, 7.75, 9.1, 10], medians: [7, 5, 5, 2.5], mean: 0.6 });
});

test("pass@k is 1 - C(n-c, k) / C(n, k)", () => {
  // C(7,2)/C(10,2) = 21/45, C(7,5)/C(10,5) = 21/252, C(2,3) = 0; C(195,100)/C(200,100) = (100·99·98·97·96)/(200·199·198·197·196).
  expect(
    [passAtK(10, 3, 1), passAtK(10, 3, 2), passAtK(10, 3, 5), passAtK(5, 3, 3), passAtK(5, 0, 5), passAtK(5, 5, 1)].map(
      rounded,
    ),
  ).toEqual([0.3, 1 - 21 / 45, 1 - 21 / 252, 1, 0, 1].map(rounded));
  expect(passAtK(200, 5, 100)).toBeCloseTo(1 - (100 * 99 * 98 * 97 * 96) / (200 * 199 * 198 * 197 * 196), 12);
});

test("pass^k is C(c, k) / C(n, k)", () => {
  // C(3,2)/C(10,2) = 3/45, C(4,3)/C(5,3) = 4/10.
  expect(
    [passPowerK(10, 3, 1), passPowerK(10, 3, 2), passPowerK(5, 4, 3), passPowerK(5, 4, 5), passPowerK(5, 5, 5)].map(
      rounded,
    ),
  ).toEqual([0.3, 3 / 45, 0.4, 0, 1].map(rounded));
});

test("a bootstrap of two values a side has the quantiles of its sixteen equally likely outcomes", () => {
  // The median of a resample of {0, 10} is 0, 5, 5 or 10, so that a difference is -10 (1/16), -5 (4/16), 0 (6/16), 5 (4/16) or 10 (1/16).
  const of = (level: number) =>
    bootstrapDifference([0, 10], [0, 10], { statistic: median, seed: 7, resamples: 5_000, level });
  expect([of(0.95), of(0.8), of(0.3)]).toEqual([
    { difference: 0, low: -10, high: 10 },
    { difference: 0, low: -5, high: 5 },
    { difference: 0, low: 0, high: 0 },
  ]);
  const same = { statistic: median, seed: "x", resamples: 100, level: 0.95 };
  expect(bootstrapDifference([3, 3], [5, 5, 5], same)).toEqual({ difference: 2, low: 2, high: 2 });
});

test("the mouse data of Efron and Tibshirani: a difference of means of 30.63 with a standard error of 26.85", () => {
  const control = [52, 104, 146, 10, 51, 30, 40, 27, 46];
  const treated = [94, 197, 16, 38, 99, 141, 23];
  const options = { statistic: mean, seed: 1, resamples: 4_000, level: 0.6827 };
  const { difference, low, high } = bootstrapDifference(control, treated, options);
  expect(rounded(difference)).toBe(30.634921);
  // One standard error on each side; the bootstrap's own is the plug-in one, a little smaller than the t test's.
  expect((high - low) / 2).toBeGreaterThan(22.8);
  expect((high - low) / 2).toBeLessThan(28.2);
  expect(bootstrapDifference(control, treated, options)).toEqual({ difference, low, high });
  expect(bootstrapDifference(control, treated, { ...options, seed: 2 })).not.toEqual({ difference, low, high });
});
