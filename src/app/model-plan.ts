// A model with all that is needed to ask it: address, key, price. Whoever has a plan looks at no configuration and no environment.
// Invariant: a plan may hold a key, so it goes only through a pipe to a process of ours: never into arguments, environment or files.

import { ok, type Result } from "../base/result.ts";
import { findPrice } from "../model/price-table.ts";
import type { Price } from "../model/usage.ts";
import { type ConnectionError, resolveConnection } from "./connection.ts";
import { listedModel } from "./listed-model.ts";
import type { LoadedSettings } from "./load-settings.ts";
import { type ModelName, modelNameText } from "./model-names.ts";
import type { Sourced } from "./origin.ts";
import { PROVIDERS, type ProviderKind } from "./provider-kinds.ts";
import type { Surroundings } from "./surroundings.ts";

export type PlannedModel =
  /** `name` is the model's name as `modelNameText` gives it; files and directories are absolute. */
  | { readonly kind: "script"; readonly name: string; readonly file: string }
  | { readonly kind: "replay"; readonly name: string; readonly directory: string }
  | {
      readonly kind: "provider";
      readonly name: string;
      readonly provider: ProviderKind;
      readonly model: string;
      readonly baseUrl: string;
      readonly apiKey: string | null;
      readonly price: Price | null;
    };

export interface Planned {
  readonly model: PlannedModel;
  /** Where it is asked, if that is not the provider's own address. */
  readonly elsewhere: Sourced<string> | null;
}

/** `atMs` is the time whose prices hold, milliseconds since the epoch. */
export async function planModel(
  surroundings: Pick<Surroundings, "host" | "env">,
  { settings, userPath }: LoadedSettings,
  name: ModelName,
  atMs: number,
): Promise<Result<Planned, ConnectionError>> {
  const text = modelNameText(name);
  if (name.kind === "script") return ok({ model: { kind: "script", name: text, file: name.file }, elsewhere: null });
  if (name.kind === "replay")
    return ok({ model: { kind: "replay", name: text, directory: name.directory }, elsewhere: null });
  const { provider, model } = name;
  const connection = resolveConnection(name, settings.providers[provider], { env: surroundings.env, userPath });
  if (!connection.ok) return connection;
  const { baseUrl, apiKey } = connection.value;
  const named = { provider, model, baseUrl: baseUrl.value };
  const listed = await listedModel(surroundings, named, atMs);
  const found = findPrice(
    named,
    { overrides: settings.prices, table: { price: () => listed.price }, fallbacks: settings.projectPrices },
    atMs,
  );
  return ok({
    model: {
      kind: "provider",
      name: text,
      provider,
      model,
      baseUrl: baseUrl.value,
      apiKey: apiKey?.value ?? null,
      price: found?.price ?? null,
    },
    elsewhere: baseUrl.value === PROVIDERS[provider].baseUrl ? null : baseUrl,
  });
}

/** The keys in the plans, for whoever must keep them out of a text. */
export function keysIn(models: readonly PlannedModel[]): readonly string[] {
  return models.flatMap((model) => (model.kind === "provider" && model.apiKey !== null ? [model.apiKey] : []));
}
