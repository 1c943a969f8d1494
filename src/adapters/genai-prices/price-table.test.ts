// The package's prices as ours. Expected prices are copied by hand from the package's data file (@pydantic/genai-prices 0.1.8);
// costs are compared with the package's own calculator.

import { calcPrice, findProvider } from "@pydantic/genai-prices";
import { describe, expect, test } from "vitest";
import type { PricedModel } from "../../model/price-table.ts";
import { costUsd, type Price } from "../../model/usage.ts";
import { describePriceTable } from "../../testing/contract/price-table.ts";
import { genaiPrices } from "./price-table.ts";

const official = (provider: string, model: string): PricedModel => ({ provider, model, baseUrl: null });
const at = (date: string) => Date.parse(`${date}T00:00:00Z`);

describePriceTable("genai-prices", () => ({
  table: genaiPrices,
  known: [
    official("anthropic", "claude-haiku-4-5"),
    official("openai", "gpt-5.6-sol"),
    official("openai-chat", "gpt-4o-mini"),
    official("google", "gemini-2.5-pro"),
    { provider: "openai-compatible", model: "openai/gpt-4o", baseUrl: "https://openrouter.ai/api/v1" },
  ],
}));

describe("prices copied by hand from the data file", () => {
  const flat = (input: number, cached: number, write: number | null, output: number): Price => ({
    inputUsdPerMtok: input,
    cachedUsdPerMtok: cached,
    ...(write === null ? {} : { cacheWriteUsdPerMtok: write }),
    outputUsdPerMtok: output,
  });

  test.each<[string, PricedModel, string, Price]>([
    ["claude-haiku-4-5", official("anthropic", "claude-haiku-4-5-20251001"), "2026-09-01", flat(1, 0.1, 1.25, 5)],
    ["claude-3-haiku", official("anthropic", "claude-3-haiku-20240307"), "2026-09-01", flat(0.25, 0.03, 0.3, 1.25)],
    [
      "no cached price: cached input costs what input does",
      official("anthropic", "claude-2"),
      "2026-09-01",
      flat(8, 8, null, 24),
    ],
    ["o3 before its price fell", official("openai", "o3"), "2025-06-09", flat(10, 0.5, null, 40)],
    ["o3 since", official("openai", "o3"), "2025-06-10", flat(2, 0.5, null, 8)],
    ["gemini-2.5-flash", official("google", "gemini-2.5-flash"), "2026-09-01", flat(0.3, 0.03, null, 2.5)],
    [
      "gemini-3.6-flash until its price rises",
      official("google", "gemini-3.6-flash"),
      "2026-12-31",
      flat(0.75, 0.075, null, 3.75),
    ],
    ["gemini-3.6-flash after", official("google", "gemini-3.6-flash"), "2027-01-01", flat(1.5, 0.15, null, 7.5)],
    [
      "claude-opus-4-6 while large requests cost more",
      official("anthropic", "claude-opus-4-6"),
      "2026-03-12",
      { ...flat(5, 0.5, 6.25, 25), tiers: [{ inputTokensAbove: 200_000, ...flat(10, 1, 12.5, 37.5) }] },
    ],
    ["claude-opus-4-6 since", official("anthropic", "claude-opus-4-6"), "2026-03-13", flat(5, 0.5, 6.25, 25)],
    [
      "gpt-5.6-luna over Chat Completions",
      official("openai-chat", "gpt-5.6-luna"),
      "2026-07-30",
      { ...flat(0.2, 0.02, 0.25, 1.2), tiers: [{ inputTokensAbove: 271_999, ...flat(0.4, 0.04, 0.5, 1.8) }] },
    ],
  ])("%s", (_, model, date, price) => {
    expect(genaiPrices.price(model, at(date))).toEqual(price);
  });
});

describe("a price that is not certain is none", () => {
  test.each<[string, PricedModel]>([
    ["a local server", { provider: "ollama", model: "gpt-oss:20b", baseUrl: "http://127.0.0.1:11434/v1" }],
    ["a server nobody knows", { provider: "openai-compatible", model: "gpt-4o", baseUrl: "http://127.0.0.1:8080/v1" }],
    [
      "rates that change by the hour",
      { provider: "openai-compatible", model: "deepseek-chat", baseUrl: "https://api.deepseek.com/v1" },
    ],
    [
      "a price for each request",
      { provider: "openai-compatible", model: "sonar", baseUrl: "https://api.perplexity.ai" },
    ],
    ["a model without output", official("openai", "text-embedding-3-small")],
    ["another provider's model", official("anthropic", "gpt-4o")],
  ])("%s", (_, model) => {
    expect(genaiPrices.price(model, at("2026-09-01"))).toBeNull();
  });
});

test("every price gives the cost that the package calculates itself, on both sides of each tier", () => {
  const differing: unknown[] = [];
  let compared = 0;
  for (const provider of ["anthropic", "openai", "google"]) {
    for (const { id, match } of findProvider({ providerId: provider })?.models ?? []) {
      const name = "equals" in match ? match.equals : id;
      const price = genaiPrices.price(official(provider, name), at("2026-09-01"));
      if (price === null) continue;
      for (const inputTokens of [1, 127_999, 200_000, 200_001, 271_999, 272_000, 900_001]) {
        const cachedTokens = Math.floor(inputTokens / 3);
        // Where the table has no price for writes, the package has none to subtract.
        const cacheWriteTokens = price.cacheWriteUsdPerMtok === undefined ? 0 : Math.floor(inputTokens / 5);
        const ours = costUsd({ inputTokens, cachedTokens, cacheWriteTokens, outputTokens: 777 }, price);
        const usage = {
          input_tokens: inputTokens,
          cache_read_tokens: cachedTokens,
          cache_write_tokens: cacheWriteTokens,
          output_tokens: 777,
        };
        const theirs = calcPrice(usage, name, { providerId: provider, timestamp: new Date(at("2026-09-01")) });
        compared += 1;
        if (theirs === null || ours === "unavailable" || Math.abs(ours - theirs.total_price) > 1e-11)
          differing.push({ provider, name, inputTokens, ours, theirs: theirs?.total_price });
      }
    }
  }
  expect(differing).toEqual([]);
  expect(compared).toBeGreaterThan(700);
});
