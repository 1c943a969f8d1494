// The PriceTable port, and which of several sources a price is taken from.
// Invariant: a model that no source knows has no price, so that its cost is unavailable and not 0.

import type { Price } from "./usage.ts";

export interface PricedModel {
  /** Of a model name, the part before the first slash: `anthropic`, `openai-compatible`, … */
  readonly provider: string;
  /** Of a model name, what follows the first slash. */
  readonly model: string;
  /** Where it is asked. Tells whose prices hold for a provider that is only a protocol. */
  readonly baseUrl: string | null;
}

export interface PriceTable {
  /** The price at that time (milliseconds since the epoch); null where the table does not know it for certain. Never throws. */
  price(model: PricedModel, atMs: number): Price | null;
}

/** By model name, `provider/model`. */
export type NamedPrices = ReadonlyMap<string, Price>;

export interface PriceSources {
  /** What the person set: wins over the table. */
  readonly overrides: NamedPrices;
  readonly table: PriceTable;
  /** What a source said that may not overrule the table. */
  readonly fallbacks: NamedPrices;
}

export interface FoundPrice {
  readonly price: Price;
  readonly source: "override" | "table" | "fallback";
}

/** Null where no source knows the price. */
export function findPrice(
  model: PricedModel,
  { overrides, table, fallbacks }: PriceSources,
  atMs: number,
): FoundPrice | null {
  const name = `${model.provider}/${model.model}`;
  const override = overrides.get(name);
  if (override !== undefined) return { price: override, source: "override" };
  const listed = table.price(model, atMs);
  if (listed !== null) return { price: listed, source: "table" };
  const fallback = fallbacks.get(name);
  return fallback === undefined ? null : { price: fallback, source: "fallback" };
}
