// Reports of results made by hand, against figures calculated by hand: rates, medians and quartiles, differences, what is left out.

import { expect, test } from "vitest";
import { type MadeRun, madeAgent, madeCall, madeRequest, madeResults } from "../../testing/evals/made-results.ts";
import { comparisonOf, reportOf } from "./report.ts";

const wall = (condition: string, ...values: readonly number[]): readonly MadeRun[] =>
  values.map((wallMs) => ({ condition, figures: { wallMs } }));
const row = (report: ReturnType<typeof reportOf>, name: string) =>
  report.tasks[0]?.figures.find((figure) => figure.name === name);
const difference = (report: ReturnType<typeof reportOf>, name: string, pair = 0) =>
  report.tasks[0]?.differences[pair]?.figures.find((figure) => figure.name === name);

test("a figure has median, range, quartiles and all its values; a run that lacks it is counted as lacking it, not as 0", () => {
  const report = reportOf(
    madeResults({
      runs: [...wall("a", 40, 10, 30, 20), { condition: "a" }, { condition: "b", figures: { requests: 2 } }],
    }),
  );
  expect(row(report, "wallMs")).toEqual({
    name: "wallMs",
    label: "wall time",
    unit: "ms",
    about: "from the agent's first step to its last, as the run says",
    status: "measured",
    groups: [
      // Of 10, 20, 30, 40: the quartiles by linear interpolation are 17.5 and 32.5.
      {
        kind: "known",
        median: 25,
        min: 10,
        max: 40,
        lowerQuartile: 17.5,
        upperQuartile: 32.5,
        n: 4,
        unavailable: 1,
        values: [40, 10, 30, 20],
      },
      { kind: "unavailable", unavailable: 1 },
    ],
  });
  expect(difference(report, "wallMs")).toEqual({
    name: "wallMs",
    label: "wall time",
    unit: "ms",
    kind: "unavailable",
    runsFrom: 4,
    runsTo: 0,
  });
  expect(difference(report, "costUsd")).toBeUndefined();
});

test("value and format are counted apart, over the runs that have such a check, and pass@k and pass^k over all", () => {
  const verdict = (passed: boolean, valueRight: boolean | null, formatRight: boolean | null): MadeRun => ({
    condition: "a",
    verdict: {
      passed,
      valueRight,
      formatRight,
      failure: passed ? null : { kind: "model", detail: "wrong" },
      checks: passed
        ? []
        : [
            { name: "sum", aspect: "value", passed: false, detail: "35909", cause: "legacy-added" },
            { name: "sum-again", aspect: "value", passed: false, detail: "35909", cause: "legacy-added" },
          ],
    },
    record: {
      callsPerResponse: { "1": 2, "10": 1 },
      delegationsPerResponse: { "3": 1 },
      childResults: [{ child: "a1", chars: 4, form: "bare-value" }],
    },
  });
  const report = reportOf(
    madeResults({
      runs: [
        verdict(true, true, true),
        verdict(true, true, null),
        verdict(false, false, true),
        verdict(false, true, false),
      ],
    }),
  );
  expect(report.tasks[0]?.groups).toEqual([
    {
      label: "a",
      changes: "what a changes",
      runs: 4,
      passed: { right: 2, n: 4 },
      valueRight: { right: 3, n: 4 },
      formatRight: { right: 2, n: 3 },
      processRight: null,
      // Of 4 runs 2 passed. At least one of two: 1 - (2/4)(1/3); both: (2/4)(1/3).
      passAtK: [0.5, 1 - 1 / 6, 1, 1],
      passHatK: [0.5, 1 / 6, 0, 0],
      failures: [{ name: "model", count: 2 }],
      causes: [{ name: "legacy-added", count: 2 }],
      callsPerResponse: [
        { name: "1", count: 8 },
        { name: "10", count: 4 },
      ],
      delegationsPerResponse: [{ name: "3", count: 4 }],
      childForms: [{ name: "bare-value", count: 4 }],
    },
  ]);
});

test("groups that lie apart differ, those that overlap do not, equal ones are equal, and three runs are too few", () => {
  const told = (from: readonly number[], to: readonly number[]) => {
    const found = difference(reportOf(madeResults({ runs: [...wall("a", ...from), ...wall("b", ...to)] })), "wallMs");
    return found?.kind === "compared" ? [found.fromValue, found.toValue, found.difference, found.judgement] : found;
  };
  expect([
    told([18, 19, 20, 21, 22], [8, 9, 10, 11, 12]),
    told([18, 19, 20, 21, 22], [17, 18, 20, 22, 24]),
    told([5, 5], [5]),
    told([18, 19, 20], [8, 9, 10]),
  ]).toEqual([
    [20, 10, -10, "differs"],
    [20, 20, 0, "noise"],
    [5, 5, 0, "equal"],
    [19, 9, -10, "too-few"],
  ]);
});

test("a difference's interval is within what any resample can give, and the same each time", () => {
  const results = madeResults({ runs: [...wall("a", 18, 19, 20, 21, 22), ...wall("b", 8, 9, 10, 11, 12)] });
  const found = difference(reportOf(results), "wallMs");
  expect(found).toEqual(difference(reportOf(results), "wallMs"));
  // A median of a resample of each side lies within its range: the difference within 8 - 22 and 12 - 18.
  expect(
    found?.kind === "compared" && found.low >= -14 && found.high <= -6 && found.low < -10 && found.high > -10,
  ).toBe(true);
});

test("the first condition is what all others are compared with", () => {
  const report = reportOf(madeResults({ runs: [...wall("a", 1), ...wall("b", 2), ...wall("c", 3)] }));
  expect(report.tasks[0]?.differences.map(({ from, to }) => [from, to])).toEqual([
    [0, 1],
    [0, 2],
  ]);
});

test("what does not count is listed with its reason: excluded, not judged, missing, damaged", () => {
  const slot = { task: "task", condition: "a", repetition: 9 };
  const report = reportOf(
    madeResults({
      plan: { scale: 0.1 },
      runs: [
        ...wall("a", 10),
        { condition: "a", figures: { wallMs: 99 }, verdict: { excluded: { reason: "environment", detail: "no rg" } } },
        { condition: "a", figures: { wallMs: 98 }, verdict: null },
      ],
      missing: [slot],
      damaged: [{ slot, message: "not JSON" }],
    }),
  );
  expect([report.excluded, report.notes, report.sources]).toEqual([
    [
      { side: null, task: "task", condition: "a", repetition: 2, reason: "environment", detail: "no rg" },
      {
        side: null,
        task: "task",
        condition: "a",
        repetition: 3,
        reason: "not judged",
        detail: "it has no verdict that can be read: skein eval judge makes one",
      },
    ],
    [
      "the scripted model's latencies are scaled by 0.1: times are not those of the suite.",
      "1 of 4 planned runs were not made yet: skein eval run goes on with them.",
      "task/a/009 cannot be read whole, and is kept: not JSON",
    ],
    [
      {
        side: null,
        directory: "/results",
        models: ["script:made"],
        scripted: true,
        skeinVersions: ["1.2.3"],
        firstAtMs: 1_790_000_000_000,
        lastAtMs: 1_790_000_000_000,
        seeds: ["7"],
        runsCounted: 1,
        runsExcluded: 2,
        runsMissing: 1,
      },
    ],
  ]);
  expect(row(report, "wallMs")?.groups).toMatchObject([{ n: 1, values: [10] }]);
});

test("a comparison has each condition of A against the same of B, and says what else differs", () => {
  const a = madeResults({ directory: "/a", runs: [...wall("x", 1, 2), ...wall("only-a", 3)] });
  const b = madeResults({ directory: "/b", plan: { suiteDigest: "other", seed: "8" }, runs: wall("x", 5, 6) });
  const report = comparisonOf(a, b);
  expect([
    report.tasks[0]?.groups.map(({ label }) => label),
    report.tasks[0]?.differences.map(({ from, to }) => [from, to]),
    report.notes,
    report.tasks[0]?.runs.map(({ id }) => id),
  ]).toEqual([
    ["A x", "B x", "A only-a"],
    [[0, 1]],
    ["A and B were not made with the same suite: a difference may be the suite's.", "A and B have different seeds."],
    ["A/task/x/001", "A/task/x/002", "B/task/x/001", "B/task/x/002", "A/task/only-a/001"],
  ]);
});

test("a time line has a request with its wait, a call that names its child, and an end for what was cut off", () => {
  const parent = madeAgent("a0", null, {
    endMs: 900,
    requests: [madeRequest(0, 100, { queuedMs: 30 }), { ...madeRequest(800, 0), endMs: null }],
    calls: [
      madeCall("delegate_task", 150, 700, { callId: "c1", queuedMs: 110 }),
      madeCall("glob", 102, 104, { queuedMs: 100, isError: true }),
      { ...madeCall("grep", 0, 0), startMs: null, endMs: null },
    ],
  });
  const child = madeAgent("a1", "a0", { startMs: 150, endMs: 690 });
  const delegation = {
    seq: 1,
    callId: "c1",
    child: "a1",
    parent: "a0",
    concurrent: 1,
    queuedMs: 110,
    startMs: 150,
    endMs: 690,
    outcome: "done",
    context: null,
  };
  const report = reportOf(
    madeResults({ runs: [{ condition: "a", agents: [child, parent], delegations: [delegation] }] }),
  );
  expect(report.tasks[0]?.runs[0]?.timeLine).toEqual({
    endMs: 900,
    agents: [
      {
        id: "a0",
        parent: null,
        startMs: 0,
        endMs: 900,
        outcome: "stopped",
        spans: [
          {
            kind: "model",
            queuedFromMs: 0,
            startMs: 30,
            endMs: 100,
            label: "turn 1, 100 tokens in, 10 out",
            failed: false,
          },
          { kind: "tool", queuedFromMs: null, startMs: 102, endMs: 104, label: "glob {}", failed: true },
          {
            kind: "delegation",
            queuedFromMs: 110,
            startMs: 150,
            endMs: 700,
            label: "delegate_task → a1 {}",
            failed: false,
          },
          {
            kind: "model",
            queuedFromMs: null,
            startMs: 800,
            endMs: 900,
            label: "turn 1, 100 tokens in, 10 out",
            failed: true,
          },
        ],
      },
      { id: "a1", parent: "a0", startMs: 150, endMs: 690, outcome: "stopped", spans: [] },
    ],
  });
});
