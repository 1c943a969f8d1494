// Finds a model in the table that comes inside @pydantic/genai-prices; nothing is fetched.
// Invariant: another provider's model of a like name is not taken for it.

import { calcPrice } from "@pydantic/genai-prices";
import type { PricedModel } from "../../model/price-table.ts";

export type ListedModel = NonNullable<ReturnType<typeof calcPrice>>;

/** As the table has it at that time; null where it is not in it. */
export function listedModel(model: PricedModel, at: Date): ListedModel | null {
  const source = sourceOf(model);
  if (source === null) return null;
  const found = calcPrice({}, model.model, { ...source, timestamp: at });
  // The package also looks at other providers' models: ones that are not sold under this name.
  return found?.provider.models.includes(found.model) ? found : null;
}

type Source = { readonly providerId: string } | { readonly providerApiUrl: string };

/** OpenAI-compatible is a protocol: who sells is told by the address. A local server is nobody's. */
function sourceOf({ provider, baseUrl }: PricedModel): Source | null {
  switch (provider) {
    case "anthropic":
    case "google":
    case "openai":
      return { providerId: provider };
    case "openai-chat":
      return { providerId: "openai" };
    case "openai-compatible":
      return baseUrl === null ? null : { providerApiUrl: baseUrl };
    default:
      return null;
  }
}
