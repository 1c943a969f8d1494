// Which keys no answer of a tool may hand on: all that are set, whichever model is asked.

import { expect, test } from "vitest";
import { knownKeys } from "./known-keys.ts";
import type { PlannedModel } from "./model-plan.ts";
import { PROVIDER_KINDS, PROVIDERS, type ProviderKind } from "./provider-kinds.ts";
import type { Settings } from "./settings.ts";

const choice = (kind: ProviderKind): Settings["providers"][ProviderKind] => ({
  baseUrl: { kind: "unknown" },
  key:
    kind === "openai-compatible"
      ? { kind: "variables", names: ["MY_OWN_KEY"], needed: true }
      : { kind: "variables", names: PROVIDERS[kind].keyVariables, needed: true },
});

test("keys of all providers that are set, of the variables a person names, and of the plans; each once", () => {
  const providers = Object.fromEntries(PROVIDER_KINDS.map((kind) => [kind, choice(kind)]));
  const model: PlannedModel = {
    kind: "provider",
    name: "anthropic/m",
    provider: "anthropic",
    model: "m",
    baseUrl: "https://models.example",
    apiKey: "anthropic-key",
    price: null,
  };
  const env = {
    ANTHROPIC_API_KEY: "anthropic-key",
    OPENAI_API_KEY: "openai-key",
    GEMINI_API_KEY: "gemini-key",
    OPENAI_COMPATIBLE_API_KEY: "compatible-key",
    MY_OWN_KEY: "own-key",
    OPENROUTER_API_KEY: "router-key",
    GROQ_API_KEY: "",
    PATH: "/bin",
  };
  expect([...knownKeys({ env }, [model], { providers: providers as Settings["providers"] })].sort()).toEqual([
    "anthropic-key",
    "compatible-key",
    "gemini-key",
    "openai-key",
    "own-key",
    "router-key",
  ]);
});
