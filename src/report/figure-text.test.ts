// One form for each unit: what is small, negative, half or nothing is written so that nobody misreads it.

import { expect, test } from "vitest";
import { differenceText, probabilityText, rateText, shareText, summaryText, valueText } from "./figure-text.ts";
import type { Unit } from "./report.ts";

test.each<[number, Unit, string]>([
  [0, "ms", "0 ms"],
  [0.4, "ms", "0 ms"],
  [-0.4, "ms", "0 ms"],
  [840, "ms", "840 ms"],
  [999.6, "ms", "1.0 s"],
  [18_345, "ms", "18.3 s"],
  [-7_400, "ms", "−7.4 s"],
  [599_949, "ms", "599.9 s"],
  [744_000, "ms", "12.4 min"],
  [3, "count", "3"],
  [2.5, "count", "2.5"],
  [12_345, "tokens", "12,345"],
  [1_234_567.5, "tokens", "1,234,567.5"],
  [-1_285, "tokens", "−1,285"],
  [0.0123, "usd", "$0.0123"],
  [12.345, "usd", "$12.35"],
  [-0.0004, "usd", "−$0.0004"],
  [2.896, "ratio", "2.90"],
  [-0.001, "ratio", "0.00"],
  [0.8, "share", "80 %"],
  [1 / 3, "share", "33.3 %"],
])("%d as %s is %s", (value, unit, text) => {
  expect(valueText(value, unit)).toBe(text);
});

test("a difference has its sign, and a share of what it is a difference from where there is one", () => {
  expect([
    differenceText(7_400, "ms"),
    differenceText(-7_400, "ms"),
    differenceText(0, "count"),
    differenceText(-0.2, "share"),
    shareText(-7_400, 18_300, "ms"),
    shareText(9, 3, "count"),
    shareText(1, 0, "count"),
    shareText(1, 1_000, "count"),
    shareText(0.2, 0.8, "share"),
  ]).toEqual(["+7.4 s", "−7.4 s", "0", "−20 points", "−40 %", "+300 %", null, null, null]);
});

test("a summary says how many runs it is of and how many lack it; a rate is a count; a probability is exact at its ends", () => {
  const known = { kind: "known", min: 1, max: 4, lowerQuartile: 1, upperQuartile: 3, values: [] } as const;
  expect([
    summaryText({ ...known, median: 2, n: 5, unavailable: 0 }, "count"),
    summaryText({ ...known, median: 2, n: 3, unavailable: 2 }, "count"),
    summaryText({ kind: "unavailable", unavailable: 5 }, "count"),
    rateText({ right: 4, n: 5 }),
    rateText(null),
    probabilityText(1),
    probabilityText(0),
    probabilityText(5 / 6),
  ]).toEqual([
    "2 (1–4), n = 5",
    "2 (1–4), n = 3, 2 unavailable",
    "unavailable",
    "4/5",
    "not checked",
    "1",
    "0",
    "0.833",
  ]);
});
