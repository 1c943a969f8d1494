import assert from "node:assert/strict";
import { test } from "node:test";
import { ceil, floor, round } from "../src/functions.js";

test("round goes to the nearest whole number", () => {
  assert.deepEqual([round(2.4), round(2.6), round(-2.6), round(7)], [2, 3, -3, 7]);
});

test("round goes to a number of decimal places", () => {
  assert.deepEqual([round(1.23456, 2), round(2 / 3, 3), round(1234, -2)], [1.23, 0.667, 1200]);
});

test("round goes by the decimal digits as they are written", () => {
  assert.equal(round(1.005, 2), 1.01);
});

test("very large and very small numbers are rounded too", () => {
  assert.deepEqual([round(1e21), round(1e-7), round(1e300, 300), round(1.5e-7, 7)], [1e21, 0, 1e300, 2e-7]);
});

test("floor goes down and ceil goes up, also below zero", () => {
  assert.deepEqual([floor(2.7), floor(-2.1), ceil(2.1), ceil(-2.7)], [2, -3, 3, -2]);
});
