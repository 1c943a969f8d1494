import assert from "node:assert/strict";
import { test } from "node:test";
import { operators } from "../src/operators.js";

test("power is the tightest operator and associates to the right", () => {
  const { precedence, associates } = operators["^"];
  assert.deepEqual({ precedence, associates }, { precedence: 3, associates: "right" });
});

test("power raises its first number to its second", () => {
  const { apply } = operators["^"];
  assert.deepEqual([apply(2, 10), apply(2, -1), apply(9, 0.5), apply(7, 0)], [1024, 0.5, 3, 1]);
});
