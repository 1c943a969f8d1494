import assert from "node:assert/strict";
import { test } from "node:test";
import { operators } from "../src/operators.js";

test("modulo binds like a product", () => {
  const { precedence, associates } = operators["%"];
  assert.deepEqual({ precedence, associates }, { precedence: 2, associates: "left" });
});

test("modulo of positive numbers is the remainder", () => {
  assert.equal(operators["%"].apply(7, 4), 3);
  assert.equal(operators["%"].apply(8, 4), 0);
});

test("the sign of a modulo is that of the divisor", () => {
  assert.equal(operators["%"].apply(-7, 4), 1);
  assert.equal(operators["%"].apply(7, -4), -1);
});
