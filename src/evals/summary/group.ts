// The runs of one condition, counted: how many were right in which respect, and how often things happened.

import type { Count, Group, Rate } from "../../report/report.ts";
import type { Slot } from "../plan.ts";
import type { Histogram, RunRecord } from "../record.ts";
import { passAtK, passPowerK } from "../statistics.ts";
import type { Verdict } from "../verdict.ts";

/** One that counts. */
export interface JudgedRun {
  readonly slot: Slot;
  readonly record: RunRecord;
  readonly verdict: Verdict;
}

/** pass@k and pass^k are told for so many runs at the most. */
const passKMax = 10;

export function groupOf(label: string, changes: string, runs: readonly JudgedRun[]): Group {
  const verdicts = runs.map(({ verdict }) => verdict);
  const records = runs.map(({ record }) => record);
  const n = runs.length;
  const right = verdicts.filter(({ passed }) => passed).length;
  const ks = Array.from({ length: Math.min(n, passKMax) }, (_, index) => index + 1);
  return {
    label,
    changes,
    runs: n,
    passed: { right, n },
    valueRight: rateOf(verdicts.map(({ valueRight }) => valueRight)),
    formatRight: rateOf(verdicts.map(({ formatRight }) => formatRight)),
    processRight: rateOf(verdicts.map(({ processRight }) => processRight)),
    passAtK: ks.map((k) => passAtK(n, right, k)),
    passHatK: ks.map((k) => passPowerK(n, right, k)),
    failures: countsOf(verdicts.flatMap(({ failure }) => failure?.kind ?? [])),
    causes: countsOf(verdicts.flatMap(({ checks }) => [...new Set(checks.flatMap(({ cause }) => cause ?? []))])),
    callsPerResponse: histogramOf(records.map(({ callsPerResponse }) => callsPerResponse)),
    delegationsPerResponse: histogramOf(records.map(({ delegationsPerResponse }) => delegationsPerResponse)),
    childForms: countsOf(records.flatMap(({ childResults }) => childResults.map(({ form }) => form))),
  };
}

/** Of the runs that have such a check. */
function rateOf(values: readonly (boolean | null)[]): Rate {
  const judged = values.filter((value) => value !== null);
  return judged.length === 0 ? null : { right: judged.filter((value) => value).length, n: judged.length };
}

/** The most frequent first, then by name. */
function countsOf(names: readonly string[]): readonly Count[] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts]
    .map(([name, count]) => ({ name, count }))
    .toSorted((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1));
}

/** By growing number. */
function histogramOf(histograms: readonly Histogram[]): readonly Count[] {
  const counts = new Map<number, number>();
  for (const [size, count] of histograms.flatMap((histogram) => Object.entries(histogram)))
    counts.set(Number(size), (counts.get(Number(size)) ?? 0) + count);
  return [...counts].toSorted(([a], [b]) => a - b).map(([size, count]) => ({ name: String(size), count }));
}
