// Costs calculated by hand, and the worst case against every cost it must cover.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { addFigures, costUsd, costUsdMax, type Price, type Usage } from "./usage.ts";

const flat: Price = { inputUsdPerMtok: 3, cachedUsdPerMtok: 0.3, outputUsdPerMtok: 15 };
const writing: Price = { ...flat, cacheWriteUsdPerMtok: 3.75 };
const tiered: Price = {
  ...writing,
  tiers: [
    {
      inputTokensAbove: 200_000,
      inputUsdPerMtok: 6,
      cachedUsdPerMtok: 0.6,
      cacheWriteUsdPerMtok: 7.5,
      outputUsdPerMtok: 22.5,
    },
  ],
};
const undiscounted: Price = { inputUsdPerMtok: 2, cachedUsdPerMtok: 2, outputUsdPerMtok: 8 };

describe("costUsd", () => {
  test.each<[string, Usage, Price | null, number | "unavailable"]>([
    // 700 × 3 + 300 × 0.3 + 100 × 15 = 3,690 millionths
    ["fresh, cached and output", { inputTokens: 1_000, cachedTokens: 300, outputTokens: 100 }, flat, 0.00369],
    // 500 × 3 + 300 × 0.3 + 200 × 3.75 + 100 × 15 = 3,840 millionths
    [
      "written tokens at their own rate",
      { inputTokens: 1_000, cachedTokens: 300, cacheWriteTokens: 200, outputTokens: 100 },
      writing,
      0.00384,
    ],
    // 200,000 × 3 + 10 × 15 = 600,150 millionths
    [
      "up to a tier's edge",
      { inputTokens: 200_000, cachedTokens: 0, cacheWriteTokens: 0, outputTokens: 10 },
      tiered,
      0.60015,
    ],
    // 200,001 × 6 + 10 × 22.5 = 1,200,231 millionths
    [
      "above it the whole request, output too",
      { inputTokens: 200_001, cachedTokens: 0, cacheWriteTokens: 0, outputTokens: 10 },
      tiered,
      1.200231,
    ],
    [
      "the finest rate there is: one token",
      { inputTokens: 1, cachedTokens: 1, outputTokens: 0 },
      { ...flat, cachedUsdPerMtok: 0.01875 },
      0.00000001875,
    ],
    ["nothing", { inputTokens: 0, cachedTokens: 0, outputTokens: 0 }, flat, 0],
    ["no price", { inputTokens: 1_000, cachedTokens: 0, outputTokens: 100 }, null, "unavailable"],
    ["output not said", { inputTokens: 1_000, cachedTokens: 0, outputTokens: "unavailable" }, flat, "unavailable"],
    [
      "cached not said where it costs less",
      { inputTokens: 1_000, cachedTokens: "unavailable", outputTokens: 100 },
      flat,
      "unavailable",
    ],
    // 1,000 × 2 + 100 × 8 = 2,800 millionths
    [
      "cached not said where it costs the same",
      { inputTokens: 1_000, cachedTokens: "unavailable", outputTokens: 100 },
      undiscounted,
      0.0028,
    ],
    [
      "written not counted where it costs more",
      { inputTokens: 1_000, cachedTokens: 0, outputTokens: 100 },
      writing,
      "unavailable",
    ],
    // 1,000 × 3 + 100 × 15 = 4,500 millionths
    [
      "written not counted where it costs the same",
      { inputTokens: 1_000, cachedTokens: 0, outputTokens: 100 },
      flat,
      0.0045,
    ],
    ["parts larger than the whole", { inputTokens: 10, cachedTokens: 20, outputTokens: 1 }, flat, "unavailable"],
  ])("%s", (_, usage, price, cost) => {
    expect(costUsd(usage, price)).toBe(cost);
  });
});

describe("costUsdMax", () => {
  test.each<[string, number, number, Price, number]>([
    // 1,000 × 3.75 + 100 × 15 = 5,250 millionths
    ["all input written to the cache", 1_000, 100, writing, 0.00525],
    // 200,001 × 7.5 + 100 × 22.5 = 1,502,257.5 millionths
    ["the dearest tier it can reach", 200_001, 100, tiered, 1.5022575],
    // 200,000 × 3.75 + 100 × 15 = 751,500 millionths
    ["no tier it cannot", 200_000, 100, tiered, 0.7515],
  ])("%s", (_, inputTokens, outputTokens, price, cost) => {
    expect(costUsdMax({ inputTokens, outputTokens }, price)).toBe(cost);
  });

  test("no request within the counts costs more", () => {
    const rate = fc.integer({ min: 0, max: 50_000_000 }).map((micro) => micro / 1_000_000);
    const rates = { inputUsdPerMtok: rate, cachedUsdPerMtok: rate, cacheWriteUsdPerMtok: rate, outputUsdPerMtok: rate };
    const tiers = fc.array(fc.record({ inputTokensAbove: fc.nat(500_000), ...rates }), { maxLength: 3 });
    const price = fc
      .record({ ...rates, tiers })
      .map((made) => ({ ...made, tiers: made.tiers.toSorted((a, b) => a.inputTokensAbove - b.inputTokensAbove) }));
    const part = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(price, fc.nat(600_000), fc.nat(50_000), part, part, part, (drawn, most, outputMost, a, b, c) => {
        const inputTokens = Math.floor(most * a);
        const cachedTokens = Math.floor(inputTokens * b);
        const cacheWriteTokens = Math.floor((inputTokens - cachedTokens) * c);
        const cost = costUsd(
          { inputTokens, cachedTokens, cacheWriteTokens, outputTokens: Math.floor(outputMost * b) },
          drawn,
        );
        return cost !== "unavailable" && cost <= costUsdMax({ inputTokens: most, outputTokens: outputMost }, drawn);
      }),
    );
  });
});

test("sums of dollars carry no binary dust, and one unknown makes the sum unknown", () => {
  const tenth = Array.from({ length: 10 }, () => 0.1);
  expect(tenth.reduce<number | "unavailable">(addFigures, 0)).toBe(1);
  expect(addFigures(0.00000001875, 0.00000001875)).toBe(0.0000000375);
  expect(addFigures(1, "unavailable")).toBe("unavailable");
});
