// What every PriceTable keeps: a known model has finite rates and growing tiers, any other none, and no name makes it throw.

import { describe, expect, test } from "vitest";
import type { PricedModel, PriceTable } from "../../model/price-table.ts";

export interface PriceTableUnderTest {
  readonly table: PriceTable;
  readonly known: readonly PricedModel[];
}

/** 2026-09-01T00:00:00Z */
const atMs = 1_788_220_800_000;

export function describePriceTable(name: string, make: () => PriceTableUnderTest): void {
  describe(`price table contract: ${name}`, () => {
    test("every rate of a known model is a finite number from 0, and its tiers grow", () => {
      const { table, known } = make();
      expect(known.length).toBeGreaterThan(0);
      for (const model of known) {
        const price = table.price(model, atMs);
        const tiers = price?.tiers ?? [];
        const rates = [price, ...tiers].flatMap((rate) => [
          rate?.inputUsdPerMtok,
          rate?.cachedUsdPerMtok,
          rate?.cacheWriteUsdPerMtok ?? 0,
          rate?.outputUsdPerMtok,
        ]);
        const starts = tiers.map(({ inputTokensAbove }) => inputTokensAbove);
        expect({
          rates: rates.filter((rate) => rate === undefined || !Number.isFinite(rate) || rate < 0),
          starts,
        }).toEqual({ rates: [], starts: [...new Set(starts)].sort((a, b) => a - b) });
      }
    });

    test("the same question has the same answer", () => {
      const { table, known } = make();
      const ask = () => known.map((model) => table.price(model, atMs));
      expect(ask()).toEqual(ask());
    });

    test("what is not known is null, however odd its name", () => {
      const { table } = make();
      const odd = ["", " ", "no-such-model-7", "__proto__", "constructor", "a/b:c", "\u0000\n", "x".repeat(10_000)];
      const providers = [
        "anthropic",
        "google",
        "openai",
        "openai-chat",
        "openai-compatible",
        "ollama",
        "",
        "__proto__",
      ];
      const answers = providers.flatMap((provider) =>
        odd.flatMap((model) =>
          [null, "not a url", "https://models.example/v1"].map((baseUrl) =>
            table.price({ provider, model, baseUrl }, atMs),
          ),
        ),
      );
      expect(answers.filter((price) => price !== null)).toEqual([]);
    });
  });
}
