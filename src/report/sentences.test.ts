// The plain sentences: what each judgement sounds like, whose time it is, and what is not claimed.

import { expect, test } from "vitest";
import { reportOf } from "../evals/summary/report.ts";
import { type MadeRun, madeResults } from "../testing/evals/made-results.ts";
import type { FigureDifference, Judgement } from "./report.ts";
import { differenceSentences, multipleSentence, waitingSentence } from "./sentences.ts";

const statistics = { confidence: 0.95, resamples: 2_000, seed: "report", runsMin: 4 };
const wall = (judgement: Judgement, more: object = {}): FigureDifference => ({
  name: "wallMs",
  label: "wall time",
  unit: "ms",
  kind: "compared",
  fromValue: 18_300,
  toValue: 10_900,
  difference: -7_400,
  low: -8_100,
  high: -6_600,
  judgement,
  ...more,
});

test("a difference is told with its interval and whether it is more than noise; what is equal or unknown is named once", () => {
  const unknown = { name: "costUsd", label: "cost", unit: "usd", kind: "unavailable", runsFrom: 5, runsTo: 0 } as const;
  expect(
    differenceSentences(
      [
        wall("differs"),
        wall("noise", { low: -8_100, high: 300 }),
        wall("too-few"),
        wall("equal", { fromValue: 900, toValue: 900 }),
        wall("equal", { label: "requests", unit: "count", fromValue: 3, toValue: 3 }),
        unknown,
      ],
      statistics,
    ),
  ).toEqual([
    "wall time: 18.3 s → 10.9 s, −7.4 s (−40 %), 95 % interval −8.1 s to −6.6 s: more than noise.",
    "wall time: 18.3 s → 10.9 s, −7.4 s (−40 %), 95 % interval −8.1 s to +300 ms: cannot be told from noise.",
    "wall time: 18.3 s → 10.9 s, −7.4 s (−40 %): too few runs to tell it from noise: 4 a side are needed.",
    "The same in every run of both: wall time 900 ms; requests 3.",
    "Cannot be compared, one side does not know them: cost (known in 5 and 0 runs).",
  ]);
});

const taskOf = (runs: readonly MadeRun[]) => {
  const [task] = reportOf(madeResults({ runs })).tasks;
  if (task === undefined) throw new Error("the report has a task");
  return task;
};

test("whose time it is, is told in medians, and not at all where it is not known", () => {
  const task = taskOf([
    { condition: "a", figures: { wallMs: 1_000, waitingMs: 900, workingMs: 100 } },
    { condition: "a", figures: { wallMs: 2_000, waitingMs: 1_900, workingMs: 100 } },
    { condition: "b", figures: { wallMs: 1_000 } },
    { condition: "c", figures: { wallMs: 1_000, waitingMs: 1_000 } },
  ]);
  expect([0, 1, 2].map((group) => waitingSentence(task, group))).toEqual([
    "a: of 1.5 s (medians), 1.4 s (93.3 %) passed while a model request was open; 100 ms was skein's own work and its tools'.",
    null,
    "c: of 1.0 s (medians), 1.0 s (100 %) passed while a model request was open.",
  ]);
});

test("how often chance looks like a difference is said where several were judged", () => {
  const one = (condition: string, wallMs: number): MadeRun => ({
    condition,
    figures: { wallMs, requests: wallMs % 7 },
  });
  const many = [1, 2, 3, 4].flatMap((n) => [one("a", n), one("b", n + 1)]);
  expect([multipleSentence(taskOf(many), statistics), multipleSentence(taskOf(many.slice(0, 4)), statistics)]).toEqual([
    expect.stringMatching(/^2 comparisons were made\. Where nothing differs, about one in 20 of them/),
    null,
  ]);
});
