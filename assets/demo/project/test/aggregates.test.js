import assert from "node:assert/strict";
import { test } from "node:test";
import { max, mean, min, sum } from "../src/functions.js";

test("min and max choose one of their numbers", () => {
  assert.deepEqual([min(3, -1, 2), max(3, -1, 2), min(5), max(5)], [-1, 3, 5, 5]);
});

test("sum adds its numbers", () => {
  assert.deepEqual([sum(1, 2, 3, 4), sum(-1, 1), sum(2.5)], [10, 0, 2.5]);
});

test("mean is the sum divided by the count", () => {
  assert.deepEqual([mean(1, 2, 3, 4), mean(-3, 3), mean(7)], [2.5, 0, 7]);
});
