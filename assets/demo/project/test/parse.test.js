import assert from "node:assert/strict";
import { test } from "node:test";
import { CalcError } from "../src/errors.js";
import { parse } from "../src/parse.js";

const number = (value) => ({ kind: "number", value });
const binary = (operator, left, right, at) => ({ kind: "binary", operator, left, right, at });

test("a product binds tighter than a sum", () => {
  assert.deepEqual(parse("1 + 2 * 3"), binary("+", number(1), binary("*", number(2), number(3), 7), 3));
});

test("operators of one precedence associate to the left", () => {
  assert.deepEqual(parse("8 - 4 - 2"), binary("-", binary("-", number(8), number(4), 3), number(2), 7));
});

test("parentheses group", () => {
  assert.deepEqual(parse("(1+2)*3"), binary("*", binary("+", number(1), number(2), 3), number(3), 6));
});

test("a sign binds tighter than a product", () => {
  assert.deepEqual(parse("-2 * +3"), binary("*", { kind: "negate", operand: number(2) }, number(3), 4));
});

test("names and calls", () => {
  assert.deepEqual(parse("max(pi, 2)"), {
    kind: "call",
    name: "max",
    args: [{ kind: "name", name: "pi", at: 5 }, number(2)],
    at: 1,
  });
  assert.deepEqual(parse("f()"), { kind: "call", name: "f", args: [], at: 1 });
});

test("what is not an expression is an error at its column", () => {
  assert.throws(() => parse("1 + )"), new CalcError('unexpected ")"', 5));
  assert.throws(() => parse("1 2"), new CalcError('unexpected "2"', 3));
  assert.throws(() => parse("1 +"), new CalcError("unexpected end", 4));
  assert.throws(() => parse("(1"), new CalcError("unexpected end", 3));
  assert.throws(() => parse("f(1,)"), new CalcError('unexpected ")"', 5));
});

test("100 levels of parentheses are fine, one more is an error", () => {
  const nested = (levels) => "(".repeat(levels) + "1" + ")".repeat(levels);
  assert.deepEqual(parse(nested(100)), number(1));
  assert.throws(() => parse(nested(101)), new CalcError("nested too deeply", 101));
});
