// How large a model's window is, from the table that comes inside @pydantic/genai-prices.
// Invariant: a size that the table does not say of that very model is not guessed.

import type { PricedModel } from "../../model/price-table.ts";
import { listedModel } from "./listed-model.ts";

/** Tokens of input and output together; null where the table does not know them. Never throws. */
export function contextWindow(model: PricedModel, atMs: number): number | null {
  return listedModel(model, new Date(atMs))?.model.context_window ?? null;
}
