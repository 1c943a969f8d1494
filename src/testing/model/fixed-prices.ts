// A PriceTable that knows what a test gives it, by `provider/model`.

import type { NamedPrices, PriceTable } from "../../model/price-table.ts";

export function fixedPrices(prices: NamedPrices): PriceTable {
  return { price: ({ provider, model }) => prices.get(`${provider}/${model}`) ?? null };
}
