// Prices from the table that comes inside @pydantic/genai-prices; nothing is fetched.
// Invariant: a price that Price cannot hold exactly is not answered at all.

import type { ModelInfo, ModelPrice } from "@pydantic/genai-prices";
import type { PriceTable } from "../../model/price-table.ts";
import type { Price, Rates, RatesAbove } from "../../model/usage.ts";
import { listedModel } from "./listed-model.ts";

/** The newest package's prices by date: a table's answer for a future time is what is announced today. */
export const genaiPrices: PriceTable = {
  price(model, atMs) {
    const found = listedModel(model, new Date(atMs));
    if (found === null) return null;
    return changesByHour(found.model) ? null : toPrice(found.model_price);
  },
};

/** A run would begin at one rate and end at another. */
function changesByHour({ prices }: ModelInfo): boolean {
  return Array.isArray(prices) && prices.some(({ constraint }) => constraint?.type === "time_of_date");
}

type TokenRate = NonNullable<ModelPrice[string]>;

const tokenKeys = ["input_mtok", "cache_read_mtok", "cache_write_mtok", "output_mtok"];

/** Keys of what our requests never hold: other media, built-in searches, caches that live an hour. */
const besideText = /audio|image|video|document|searches|^cache_write_1h_mtok$/;

/** Null where a text request costs something that Price has no field for, or where input or output has no price. */
function toPrice(listed: ModelPrice): Price | null {
  const priced = Object.keys(listed).filter((key) => listed[key] !== undefined);
  if (priced.some((key) => !tokenKeys.includes(key) && !besideText.test(key))) return null;
  const { input_mtok: input, output_mtok: output, cache_read_mtok: read = input, cache_write_mtok: write } = listed;
  if (input === undefined || output === undefined || read === undefined) return null;
  const ratesAt = (inputTokens: number): Rates => ({
    inputUsdPerMtok: rateAt(input, inputTokens),
    cachedUsdPerMtok: rateAt(read, inputTokens),
    ...(write === undefined ? {} : { cacheWriteUsdPerMtok: rateAt(write, inputTokens) }),
    outputUsdPerMtok: rateAt(output, inputTokens),
  });
  const starts = new Set([input, read, write, output].flatMap(startsOf));
  const tiers: readonly RatesAbove[] = [...starts]
    .sort((a, b) => a - b)
    .map((start) => ({ inputTokensAbove: start, ...ratesAt(start + 1) }));
  return tiers.length === 0 ? ratesAt(0) : { ...ratesAt(0), tiers };
}

function startsOf(rate: TokenRate | undefined): readonly number[] {
  return typeof rate === "object" ? rate.tiers.map(({ start }) => start) : [];
}

/** A tier holds for the whole request once its input has more tokens than `start`. */
function rateAt(rate: TokenRate, inputTokens: number): number {
  if (typeof rate === "number") return rate;
  return rate.tiers.findLast(({ start }) => inputTokens > start)?.price ?? rate.base;
}
