import assert from "node:assert/strict";
import { test } from "node:test";
import { CalcError } from "../src/errors.js";
import { tokenize } from "../src/tokenize.js";

test("an expression becomes tokens with their columns", () => {
  assert.deepEqual(tokenize("12 + max(a1,.5)"), [
    { kind: "number", text: "12", value: 12, at: 1 },
    { kind: "symbol", text: "+", at: 4 },
    { kind: "name", text: "max", at: 6 },
    { kind: "symbol", text: "(", at: 9 },
    { kind: "name", text: "a1", at: 10 },
    { kind: "symbol", text: ",", at: 12 },
    { kind: "number", text: ".5", value: 0.5, at: 13 },
    { kind: "symbol", text: ")", at: 15 },
    { kind: "end", text: "", at: 16 },
  ]);
});

test("numbers: decimal point and exponent", () => {
  const values = (text) => tokenize(text).flatMap((token) => (token.kind === "number" ? [token.value] : []));
  assert.deepEqual(values("7 0.5 .5 3. 1e3 2.5E-4 1e+2"), [7, 0.5, 0.5, 3, 1000, 0.00025, 100]);
});

test("a sign is not part of a number", () => {
  assert.deepEqual(
    tokenize("2-1").map((token) => token.text),
    ["2", "-", "1", ""],
  );
});

test("every symbol is known", () => {
  assert.deepEqual(
    tokenize("+-*/%^(),").map((token) => token.kind),
    [...Array(9).fill("symbol"), "end"],
  );
});

test("nothing but spaces is only the end", () => {
  assert.deepEqual(tokenize(" \t"), [{ kind: "end", text: "", at: 3 }]);
});

test("a character that starts no token is an error at its column", () => {
  assert.throws(() => tokenize("2 $ 3"), new CalcError('unexpected "$"', 3));
});

test("1000 characters are fine, one more is an error", () => {
  assert.equal(tokenize("1".padEnd(1000)).length, 2);
  assert.throws(() => tokenize("1".padEnd(1001)), new CalcError("more than 1000 characters", 1001));
});
