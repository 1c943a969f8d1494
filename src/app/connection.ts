// From a model's name to what is needed to ask it: address and key, or the sentence that says what is missing.
// Invariant: a key goes only to the address that the person or the provider named for it.

import { unreachable } from "../base/assert.ts";
import { err, ok, type Result } from "../base/result.ts";
import { cleanLine } from "../base/text.ts";
import { baseUrlWanted, originOf, requestBaseUrl } from "./base-url.ts";
import { type ModelName, modelNameText } from "./model-names.ts";
import type { Sourced } from "./origin.ts";
import { PROVIDERS, type ProviderKind } from "./provider-kinds.ts";
import type { BaseUrlChoice, KeyChoice, ProviderChoice } from "./provider-settings.ts";
import { type Surroundings, variable } from "./surroundings.ts";

export type ProviderModelName = Extract<ModelName, { readonly kind: "provider" }>;

export interface Connection {
  readonly provider: ProviderKind;
  readonly model: string;
  /** As messages and prices name it. */
  readonly name: string;
  /** Always given, so that no package looks for one of its own. */
  readonly baseUrl: Sourced<string>;
  /** Null where the server needs none. */
  readonly apiKey: { readonly variable: string; readonly value: string } | null;
}

export interface ConnectionError {
  readonly kind: "connection";
  readonly code: "missing-key" | "missing-base-url" | "unconfirmed-base-url" | "unconfirmed-key" | "malformed-base-url";
  /** What is wrong; names variables and hosts, never a key. */
  readonly message: string;
  /** What the person can do. */
  readonly next: string;
}

/** `userPath` is the person's own file, for the advice; null where there is no place for one. */
export function resolveConnection(
  name: ProviderModelName,
  choice: ProviderChoice,
  { env, userPath }: { readonly env: Surroundings["env"]; readonly userPath: string | null },
): Result<Connection, ConnectionError> {
  const { provider, model } = name;
  const text = modelNameText(name);
  const asked = { provider, name: cleanLine(text, 300), file: userPath ?? "your own configuration file" };
  const baseUrl = addressOf(asked, choice.baseUrl);
  if (!baseUrl.ok) return baseUrl;
  const apiKey = keyOf(asked, choice.key, env);
  if (!apiKey.ok) return apiKey;
  return ok({ provider, model, name: text, baseUrl: baseUrl.value, apiKey: apiKey.value });
}

interface Asked {
  readonly provider: ProviderKind;
  readonly name: string;
  readonly file: string;
}

function addressOf({ provider, name, file }: Asked, choice: BaseUrlChoice): Result<Sourced<string>, ConnectionError> {
  switch (choice.kind) {
    case "known":
      return ok({ value: requestBaseUrl(provider, choice.value), origin: choice.origin });
    case "unknown":
      return refuse(
        "missing-base-url",
        `${name} needs the address of its server`,
        `pass --base-url http://127.0.0.1:8080/v1, or set providers.${provider}.baseUrl in ${file}`,
      );
    case "unconfirmed":
      return refuse(
        "unconfirmed-base-url",
        `${choice.path} wants ${provider} to be asked at ${originOf(choice.baseUrl)}, a host that you have not confirmed; nothing was sent there`,
        `if you trust it, pass --base-url ${provider}=${choice.baseUrl}, or add "${originOf(choice.baseUrl)}" to providers.${provider}.trustedBaseUrls in ${file}`,
      );
    case "malformed":
      return refuse(
        "malformed-base-url",
        `${choice.variable}: ${baseUrlWanted}`,
        `mend ${choice.variable}, or pass --base-url ${provider}=<address>`,
      );
    default:
      return unreachable(choice);
  }
}

function keyOf(
  { provider, name, file }: Asked,
  choice: KeyChoice,
  env: Surroundings["env"],
): Result<Connection["apiKey"], ConnectionError> {
  if (choice.kind === "unconfirmed")
    return refuse(
      "unconfirmed-key",
      `${choice.path} wants the value of ${choice.name} to be sent to ${provider}, which you have not confirmed; nothing was sent`,
      `if that is its key, set providers.${provider}.apiKeyEnv to "${choice.name}" in ${file}`,
    );
  for (const candidate of choice.names) {
    const value = variable(env, candidate)?.trim() ?? "";
    if (value !== "") return ok({ variable: candidate, value });
  }
  if (!choice.needed) return ok(null);
  return refuse(
    "missing-key",
    `${name} needs a key, and ${choice.names.join(" and ")} ${choice.names.length === 1 ? "is" : "are"} not set`,
    `export ${choice.names[0]}=<your key for ${PROVIDERS[provider].title}>`,
  );
}

function refuse(code: ConnectionError["code"], message: string, next: string): Result<never, ConnectionError> {
  return err({ kind: "connection", code, message, next });
}
