// The cap on a result: what stays, what the note says, and that the full text is saved.

import { expect, test } from "vitest";
import { err, ok } from "../base/result.ts";
import { capResult, resultCharsFor } from "./cap.ts";

test("a text at the cap stays as it is and is not saved", async () => {
  const text = "x".repeat(200);
  expect(await capResult(text, 200, async () => Promise.reject(new Error("saved")))).toBe(text);
});

test("H9 a longer one keeps head and tail around a note that names the full text", async () => {
  const text = `HEAD${"x".repeat(900_000)}TAIL`;
  const saved: string[] = [];
  const capped = await capResult(text, 1_000, async (full) => {
    saved.push(full);
    return ok("/spill/1.txt");
  });
  const left =
    /\n\[… (\d+) of 900008 characters left out here; the full text is in \/spill\/1\.txt: read the part you need of it, or search it …\]\n/;
  const kept = capped.replace(left, "");
  expect({
    saved: saved[0] === text,
    short: capped.length <= 1_000,
    head: capped.startsWith("HEADx"),
    tail: capped.endsWith("xTAIL"),
    left: Number(left.exec(capped)?.[1]),
  }).toEqual({ saved: true, short: true, head: true, tail: true, left: text.length - kept.length });
});

test("a text that could not be saved says so, and no surrogate pair is cut", async () => {
  const text = "😀".repeat(600);
  for (let charsMax = 300; charsMax < 304; charsMax++) {
    const error = { kind: "file", code: "no-space", path: "/spill", message: "no space left" } as const;
    const capped = await capResult(text, charsMax, async () => err(error));
    expect({ whole: capped.isWellFormed(), said: capped.includes("could not be saved: no space left") }).toEqual({
      whole: true,
      said: true,
    });
  }
});

test("H9 the results of one answer together leave room in the window, however many there are", () => {
  const chars = (contextTokens: number | null, calls: number) =>
    resultCharsFor({ resultCharsMax: 30_000, contextTokens }, calls);
  // A quarter of the window, 3 characters a token: 150,000 of 200,000 tokens, 96,000 of the 128,000 that an unknown one is taken for.
  expect([chars(200_000, 1), chars(200_000, 27), chars(null, 1), chars(null, 27), chars(4_000, 10)]).toEqual([
    30_000, 5_555, 30_000, 3_555, 1_000,
  ]);
});
