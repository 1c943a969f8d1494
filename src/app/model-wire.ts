// Planned models as JSON, between our own processes.

import { list, nullable, object, oneOf, type Parsed, real, text, union } from "../base/parse.ts";
import type { Price, Rates } from "../model/usage.ts";
import type { PlannedModel } from "./model-plan.ts";
import { PROVIDER_KINDS } from "./provider-kinds.ts";

const rates = {
  inputUsdPerMtok: real,
  cachedUsdPerMtok: real,
  cacheWriteUsdPerMtok: nullable(real),
  outputUsdPerMtok: real,
};
const price = object({ ...rates, tiers: list(object({ ...rates, inputTokensAbove: real }), 100) });
const name = text(5_000);
const path = text(4_096);

export const modelWire = union({
  script: object({ name, file: path }),
  replay: object({ name, directory: path }),
  provider: object({
    name,
    provider: oneOf(...PROVIDER_KINDS),
    model: name,
    baseUrl: text(4_000),
    apiKey: nullable(text(10_000)),
    price: nullable(price),
  }),
});

export type ModelWire = Parsed<typeof modelWire>;

export function toWire(model: PlannedModel): ModelWire {
  if (model.kind !== "provider") return model;
  return { ...model, price: model.price === null ? null : priceToWire(model.price) };
}

export function fromWire(model: ModelWire): PlannedModel {
  if (model.kind !== "provider") return model;
  return { ...model, price: model.price === null ? null : priceFromWire(model.price) };
}

type PriceWire = Parsed<typeof price>;
type RatesWire = Omit<PriceWire, "tiers">;

function priceToWire({ tiers = [], ...base }: Price): PriceWire {
  return {
    ...ratesToWire(base),
    tiers: tiers.map((tier) => ({ ...ratesToWire(tier), inputTokensAbove: tier.inputTokensAbove })),
  };
}

function priceFromWire({ tiers, ...base }: PriceWire): Price {
  if (tiers.length === 0) return ratesFromWire(base);
  const above = tiers.map((tier) => ({ ...ratesFromWire(tier), inputTokensAbove: tier.inputTokensAbove }));
  return { ...ratesFromWire(base), tiers: above };
}

function ratesToWire(given: Rates): RatesWire {
  const { inputUsdPerMtok, cachedUsdPerMtok, cacheWriteUsdPerMtok = null, outputUsdPerMtok } = given;
  return { inputUsdPerMtok, cachedUsdPerMtok, cacheWriteUsdPerMtok, outputUsdPerMtok };
}

function ratesFromWire(given: RatesWire): Rates {
  const { inputUsdPerMtok, cachedUsdPerMtok, cacheWriteUsdPerMtok: written, outputUsdPerMtok } = given;
  const writing = written === null ? {} : { cacheWriteUsdPerMtok: written };
  return { inputUsdPerMtok, cachedUsdPerMtok, ...writing, outputUsdPerMtok };
}
