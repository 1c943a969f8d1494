import assert from "node:assert/strict";
import { test } from "node:test";
import { format } from "../src/format.js";

test("whole numbers are printed in full, and zero has no sign", () => {
  assert.deepEqual([0, -0, 42, -42, 9007199254740991].map(format), ["0", "0", "42", "-42", "9007199254740991"]);
});

test("other numbers have 12 significant digits and no trailing zeros", () => {
  assert.deepEqual([0.1 + 0.2, 1 / 3, 2.5, -200 / 3].map(format), ["0.3", "0.333333333333", "2.5", "-66.6666666667"]);
});

test("very large and very small numbers have an exponent", () => {
  assert.deepEqual([1e21, 1.5e-7].map(format), ["1e+21", "1.5e-7"]);
});

test("a number that rounds to a whole one is printed as that", () => {
  assert.equal(format(Math.sqrt(2) * Math.sqrt(2)), "2");
});
