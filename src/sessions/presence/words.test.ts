// Times in words, beside what the language itself makes of them.

import { expect, test } from "vitest";
import { timeWord } from "./words.ts";

test("a time is its UTC day and minute, in years of four digits and others", () => {
  const day = 86_400_000;
  const times = [
    ...Array.from({ length: 1_500 }, (_, number) => number * 1.37 * day),
    ...[-1, 0, 59_999, 60_000, day - 1, -62_198_755_200_000, 253_402_300_799_999, 253_402_300_800_000],
  ];
  expect(times.map(timeWord)).toEqual(
    times.map((ms) => `${new Date(ms).toISOString().slice(0, 16).replace("T", " ")} UTC`),
  );
  expect(timeWord(Date.UTC(2026, 10, 30, 14, 2, 59))).toBe("2026-11-30 14:02 UTC");
  expect(() => timeWord(Number.NaN)).toThrow(RangeError);
});
