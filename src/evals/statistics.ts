// What may be said of a few repeated runs: the median with its range, the chance of k tries, and how far a difference between two groups
// may come from chance. Pure arithmetic; what is said of it is the report's.

import { assert } from "../base/assert.ts";
import { seededRandom } from "../base/seeded-random.ts";

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** Of shares, each value being 0 or 1; of figures a mean alone says little. */
export function mean(values: readonly number[]): number {
  assert(values.length > 0, "a mean is of at least one value");
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** By linear interpolation between order statistics: type 7 of Hyndman and Fan, "Sample Quantiles in Statistical Packages" (1996), R's default. */
export function quantile(values: readonly number[], fraction: number): number {
  assert(values.length > 0, "a quantile is of at least one value");
  assert(fraction >= 0 && fraction <= 1, "a quantile's fraction is from 0 to 1");
  // Sorted as numbers without a call for each pair: a bootstrap does this thousands of times.
  const sorted = Float64Array.from(values).sort();
  const at = (sorted.length - 1) * fraction;
  const low = sorted[Math.floor(at)] ?? Number.NaN;
  const high = sorted[Math.ceil(at)] ?? Number.NaN;
  return low + (high - low) * (at - Math.floor(at));
}

/**
 * The chance that at least one of k tries passes, estimated without bias from n runs of which c passed: 1 - C(n-c, k) / C(n, k), of Chen et
 * al., "Evaluating Large Language Models Trained on Code" (2021).
 */
export function passAtK(n: number, c: number, k: number): number {
  checkTries(n, c, k);
  return 1 - allAmong(n - c, n, k);
}

/** The chance that all of k tries pass, estimated without bias: C(c, k) / C(n, k), of Yao et al., "τ-bench" (2024). */
export function passPowerK(n: number, c: number, k: number): number {
  checkTries(n, c, k);
  return allAmong(c, n, k);
}

export interface BootstrapOptions {
  /** What is compared: `median` of figures, `mean` of shares. */
  readonly statistic: (values: readonly number[]) => number;
  readonly seed: number | string;
  readonly resamples: number;
  /** Of the interval, as a fraction. */
  readonly level: number;
}

export interface Difference {
  /** Of `to` less that of `from`. */
  readonly difference: number;
  readonly low: number;
  readonly high: number;
}

/**
 * The percentile bootstrap of a difference (Efron and Tibshirani, "An Introduction to the Bootstrap", 1993, chapters 8 and 13): each
 * group is resampled by itself. Both need at least one value.
 */
export function bootstrapDifference(
  from: readonly number[],
  to: readonly number[],
  { statistic, seed, resamples, level }: BootstrapOptions,
): Difference {
  assert(from.length > 0 && to.length > 0, "a difference is between two groups that are not empty");
  assert(resamples >= 1 && level > 0 && level < 1, "an interval has resamples and a level within 0 and 1");
  const random = seededRandom(seed, "bootstrap");
  const resampled = (values: readonly number[]): number =>
    statistic(values.map(() => values[random.integer(values.length)] ?? Number.NaN));
  const differences = Array.from({ length: resamples }, () => {
    const before = resampled(from);
    return resampled(to) - before;
  });
  const tail = (1 - level) / 2;
  return {
    difference: statistic(to) - statistic(from),
    low: quantile(differences, tail),
    high: quantile(differences, 1 - tail),
  };
}

/** The chance that k of n, drawn without putting back, are all among `marked` of them: C(marked, k) / C(n, k), as a product that cannot overflow. */
function allAmong(marked: number, n: number, k: number): number {
  let chance = 1;
  for (let drawn = 0; drawn < k; drawn++) chance *= Math.max(0, marked - drawn) / (n - drawn);
  return chance;
}

function checkTries(n: number, c: number, k: number): void {
  assert(Number.isInteger(n) && Number.isInteger(c) && c >= 0 && c <= n, "of n runs 0 to n passed");
  assert(Number.isInteger(k) && k >= 1 && k <= n, "k is a whole number from 1 to n");
}
