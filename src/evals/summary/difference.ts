// Two groups of runs against each other, figure by figure: the difference of their medians (of shares: of the shares), its bootstrap
// interval, and whether it can be told from noise. Figures that neither group has are not compared.

import type { FigureDifference, Judgement, StatisticsUsed, Unit } from "../../report/report.ts";
import { FIGURE_NAMES, FIGURES } from "../figure.ts";
import { bootstrapDifference, mean, median } from "../statistics.ts";
import type { Verdict } from "../verdict.ts";
import type { JudgedRun } from "./group.ts";

/**
 * Of two groups of three that do not differ, one lies wholly above the other in every tenth case (2 of the 20 ways to part six runs):
 * no method tells that from a difference. With four it is 2 of 70.
 */
const runsMin = 4;

/** Enough for an interval (Efron and Tibshirani advise a thousand at least), and quick for a hundred runs of each condition. */
const resamples = 2_000;

export const statisticsUsed: StatisticsUsed = { confidence: 0.95, resamples, seed: "report", runsMin };

interface Compared {
  readonly name: string;
  readonly label: string;
  readonly unit: Unit;
  readonly statistic: (values: readonly number[]) => number;
  readonly valuesOf: (runs: readonly JudgedRun[]) => readonly number[];
}

const shares: readonly (readonly [string, string, (verdict: Verdict) => boolean | null])[] = [
  ["passed", "passed", ({ passed }) => passed],
  ["valueRight", "value right", ({ valueRight }) => valueRight],
  ["formatRight", "format right", ({ formatRight }) => formatRight],
  ["processRight", "done as asked", ({ processRight }) => processRight],
];

const compared: readonly Compared[] = [
  ...shares.map(
    ([name, label, of]): Compared => ({
      name,
      label,
      unit: "share",
      statistic: mean,
      valuesOf: (runs) =>
        runs.flatMap(({ verdict }) => {
          const right = of(verdict);
          return right === null ? [] : [right ? 1 : 0];
        }),
    }),
  ),
  ...FIGURE_NAMES.map(
    (name): Compared => ({
      name,
      label: FIGURES[name].label,
      unit: FIGURES[name].unit,
      statistic: median,
      valuesOf: (runs) => runs.flatMap(({ record }) => record.figures[name].value ?? []),
    }),
  ),
];

export function groupDifference(from: readonly JudgedRun[], to: readonly JudgedRun[]): readonly FigureDifference[] {
  return compared.flatMap((one) => {
    const [before, after] = [one.valuesOf(from), one.valuesOf(to)];
    return before.length === 0 && after.length === 0 ? [] : [differenceOf(one, before, after)];
  });
}

function differenceOf(one: Compared, from: readonly number[], to: readonly number[]): FigureDifference {
  const { name, label, unit, statistic } = one;
  if (from.length === 0 || to.length === 0)
    return { name, label, unit, kind: "unavailable", runsFrom: from.length, runsTo: to.length };
  const { confidence: level, seed } = statisticsUsed;
  const { difference, low, high } = bootstrapDifference(from, to, { statistic, seed, resamples, level });
  return {
    name,
    label,
    unit,
    kind: "compared",
    difference,
    low,
    high,
    fromValue: statistic(from),
    toValue: statistic(to),
    judgement: judge(from, to, { low, high }),
  };
}

function judge(
  from: readonly number[],
  to: readonly number[],
  { low, high }: { readonly low: number; readonly high: number },
): Judgement {
  if (new Set([...from, ...to]).size === 1) return "equal";
  if (from.length < runsMin || to.length < runsMin) return "too-few";
  return low > 0 || high < 0 ? "differs" : "noise";
}
