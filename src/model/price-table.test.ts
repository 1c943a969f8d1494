// Which source a price is taken from.

import { expect, test } from "vitest";
import { describePriceTable } from "../testing/contract/price-table.ts";
import { fixedPrices } from "../testing/model/fixed-prices.ts";
import { findPrice, type PricedModel } from "./price-table.ts";
import type { Price } from "./usage.ts";

const price = (usd: number): Price => ({ inputUsdPerMtok: usd, cachedUsdPerMtok: usd, outputUsdPerMtok: usd });
const model: PricedModel = { provider: "openai-compatible", model: "org/model:free", baseUrl: null };
const named = (usd: number | null) =>
  new Map(usd === null ? [] : [["openai-compatible/org/model:free", price(usd)] as const]);

test.each<[string, [number | null, number | null, number | null], [number, string] | null]>([
  ["what the person set wins", [1, 2, 3], [1, "override"]],
  ["then the table", [null, 2, 3], [2, "table"]],
  ["a fallback only where the table knows nothing", [null, null, 3], [3, "fallback"]],
  ["a price of 0 that was set is a price", [0, 2, 3], [0, "override"]],
  ["otherwise none", [null, null, null], null],
])("%s", (_, [override, listed, fallback], found) => {
  const sources = { overrides: named(override), table: fixedPrices(named(listed)), fallbacks: named(fallback) };
  expect(findPrice(model, sources, 0)).toEqual(found === null ? null : { price: price(found[0]), source: found[1] });
});

describePriceTable("fixed prices", () => ({ table: fixedPrices(named(2)), known: [model] }));
