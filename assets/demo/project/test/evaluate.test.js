import assert from "node:assert/strict";
import { test } from "node:test";
import { CalcError } from "../src/errors.js";
import { evaluate } from "../src/evaluate.js";

const number = (value) => ({ kind: "number", value });
const binary = (operator, left, right) => ({ kind: "binary", operator, left, right, at: 9 });
const call = (name, ...args) => ({ kind: "call", name, args, at: 5 });

test("operators", () => {
  // 1 + 2 * 3, and (8 - 2) / 4
  assert.equal(evaluate(binary("+", number(1), binary("*", number(2), number(3)))), 7);
  assert.equal(evaluate(binary("/", binary("-", number(8), number(2)), number(4))), 1.5);
});

test("signs", () => {
  assert.equal(evaluate({ kind: "negate", operand: binary("+", number(1), number(2)) }), -3);
});

test("constants", () => {
  assert.equal(evaluate({ kind: "name", name: "pi", at: 1 }), Math.PI);
  assert.equal(evaluate({ kind: "name", name: "e", at: 1 }), Math.E);
});

test("calls", () => {
  assert.equal(evaluate(call("sqrt", binary("*", number(4), number(4)))), 4);
});

test("unknown names are errors at their column, also those that every object has", () => {
  assert.throws(() => evaluate({ kind: "name", name: "tau", at: 3 }), new CalcError('unknown name "tau"', 3));
  assert.throws(
    () => evaluate({ kind: "name", name: "constructor", at: 3 }),
    new CalcError('unknown name "constructor"', 3),
  );
  assert.throws(() => evaluate(call("toString", number(1))), new CalcError('unknown function "toString"', 5));
});

test("a wrong number of arguments is an error that names the function", () => {
  assert.throws(() => evaluate(call("sqrt", number(1), number(2))), new CalcError("sqrt takes 1 argument, not 2", 5));
  assert.throws(() => evaluate(call("round")), new CalcError("round takes 1 to 2 arguments, not 0", 5));
});
