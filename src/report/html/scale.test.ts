// The axis: round ticks from zero, and positions that never leave the drawing.

import { expect, test } from "vitest";
import { at, scaleOf, width } from "./scale.ts";

test.each<[readonly number[], readonly number[]]>([
  [[], [0]],
  [[0, 0], [0]],
  [[5], [0, 1, 2, 3, 4, 5]],
  [[0.3], [0, 0.1, 0.2, 0.3]],
  [
    [4, 18_300],
    [0, 5_000, 10_000, 15_000],
  ],
  [[57_000], [0, 20_000, 40_000]],
])("the ticks of %j are %j", (values, ticks) => {
  expect(scaleOf(values).ticks).toEqual(ticks);
});

test("of whole numbers no tick lies between them", () => {
  expect(scaleOf([2], { whole: true }).ticks).toEqual([0, 1, 2]);
});

test("positions are percentages within the drawing", () => {
  const scale = { max: 200, ticks: [] };
  expect([at(50, scale), at(-1, scale), at(999, scale), width(50, 150, scale), width(150, 999, scale)]).toEqual([
    "25%",
    "0%",
    "100%",
    "50%",
    "25%",
  ]);
});
