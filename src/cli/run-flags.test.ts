// Flags that are numbers: what is one, and nothing else that JavaScript would take for one.

import { InvalidArgumentError } from "commander";
import { expect, test } from "vitest";
import { wholeNumber } from "./commands/command.ts";
import { amount, days } from "./run-flags.ts";

const nonsense = [
  "",
  " ",
  "x",
  "0x",
  "0x10",
  "1e9",
  "1e-3",
  "Infinity",
  "NaN",
  "1_000",
  "1,5",
  "--5",
  "5d",
  ".",
  "5.",
  "１",
  "1234567890",
];

function read(parse: (text: string) => number, text: string): number | "refused" {
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof InvalidArgumentError) return "refused";
    throw error;
  }
}

test.each([
  ["a whole number", wholeNumber],
  ["an amount", amount],
  ["days", days],
] as const)("%s: nonsense is refused", (_name, parse) => {
  expect(nonsense.map((text) => [text, read(parse, text)])).toEqual(nonsense.map((text) => [text, "refused"]));
});

test("what is a number is read; whether it lies within its limits is told by who has them", () => {
  const texts = ["0", "7", " 12 ", "007", "2.50", "-1", "-0", "36500", "36501"];
  const readAll = (parse: (text: string) => number) => texts.map((text) => read(parse, text));
  expect([readAll(wholeNumber), readAll(amount), readAll(days)]).toEqual([
    [0, 7, 12, 7, "refused", -1, -0, 36_500, 36_501],
    [0, 7, 12, 7, 2.5, -1, -0, 36_500, 36_501],
    [0, 7, 12, 7, 2.5, "refused", "refused", 36_500, "refused"],
  ]);
});
