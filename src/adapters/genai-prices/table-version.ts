// Which table of prices this program comes with, and what of a model it is asked about, for whoever keeps its answers: known without
// loading it.

import type { PricedModel } from "../../model/price-table.ts";

/** Of the package; a test holds it to what is installed. */
export const tableVersion = "@pydantic/genai-prices 0.1.8";

/** The same for models of which the table says the same: only of a protocol's models the address tells who sells them. */
export function lookupKey({ provider, model, baseUrl }: PricedModel): string {
  return JSON.stringify([provider, model, provider === "openai-compatible" ? baseUrl : null]);
}
