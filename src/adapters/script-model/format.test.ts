// The script format: what is accepted, and errors that name the rule and the field.

import { expect, test } from "vitest";
import { parseScript } from "./format.ts";

const problems = (text: string): readonly string[] => {
  const parsed = parseScript(text, "demo.yaml");
  return parsed.ok ? [] : parsed.error.message.split("\n");
};

test("YAML and JSON say the same; single values are lists of one", () => {
  const yaml = `
name: demo
price: {inputUsdPerMtok: 3, cachedUsdPerMtok: 0.3, outputUsdPerMtok: 15}
rules:
  - role: planner
    task: [root, other]
    turn: 1
    calls:
      - {tool: read_file, input: {path: SPEC.md}}
      - {tool: look}
  - error: {code: overloaded, retryAfterMs: 10}
`;
  const value = {
    name: "demo",
    price: { inputUsdPerMtok: 3, cachedUsdPerMtok: 0.3, outputUsdPerMtok: 15 },
    delayMs: 0,
    rules: [
      {
        role: ["planner"],
        task: ["root", "other"],
        turn: [1],
        calls: [
          { tool: "read_file", input: { path: "SPEC.md" } },
          { tool: "look", input: {} },
        ],
      },
      { error: { code: "overloaded", message: "scripted error", retryAfterMs: 10 }, calls: [] },
    ],
  };
  expect([parseScript(yaml, "a"), parseScript(JSON.stringify(value), "b")]).toEqual([
    { ok: true, value },
    { ok: true, value },
  ]);
});

test("errors name the rule, from 1, and the field", () => {
  expect([
    ...problems("rules:\n  - {say: a}\n  - {role: [worker, boss], say: a}"),
    ...problems("rules: [{calls: [{input: {}}]}]"),
    ...problems("rules: [{turn: 0, say: a}, {say: a, cals: []}, {last: '(', say: a}]"),
    ...problems("rules: [{role: solo}, {say: a, error: {code: quota}}, {error: {code: nope}}]"),
    ...problems("rules: []\nprise: 1"),
    ...problems("- a"),
  ]).toEqual([
    'rule 2 role[1]: Invalid option: expected one of "solo"|"child"|"planner"|"worker"|"arbiter"',
    "rule 1 calls[0].tool: Invalid input: expected string, received undefined",
    "rule 1 turn[0]: Too small: expected number to be >=1",
    'rule 2: Unrecognized key: "cals"',
    "rule 3 last: Invalid regular expression: /(/: Unterminated group",
    "rule 1: the rule answers nothing: it needs say, calls or error",
    "rule 2 error: stands instead of an answer: leave out say and calls",
    'rule 3 error.code: Invalid option: expected one of "unauthorized"|"quota"|"rate-limit"|"overloaded"|"bad-request"|"not-found"|"refusal"|"bad-answer"|"no-content"|"unreachable"|"network"|"script"|"other"',
    "rules: Too small: expected array to have >=1 items",
    'Unrecognized key: "prise"',
    "Invalid input: expected object, received array",
  ]);
});

test("what is no YAML is refused with its place", () => {
  expect(problems("rules: [a: b: c")[0]).toMatch(/^not valid YAML: .* at line 1, column 12/);
});

test("a price without one for cached input charges it like other input", () => {
  const priced = (price: object) => {
    const parsed = parseScript(JSON.stringify({ price, rules: [{ say: "a" }] }), "s");
    return parsed.ok ? parsed.value.price : parsed.error.message;
  };
  expect([
    priced({ inputUsdPerMtok: 3, outputUsdPerMtok: 15 }),
    priced({ inputUsdPerMtok: 3, cachedUsdPerMtok: 0, outputUsdPerMtok: 15 }),
  ]).toEqual([
    { inputUsdPerMtok: 3, cachedUsdPerMtok: 3, outputUsdPerMtok: 15 },
    { inputUsdPerMtok: 3, cachedUsdPerMtok: 0, outputUsdPerMtok: 15 },
  ]);
});
