// The keys that this program finds around it, whichever models it asks: a command of an agent can read the environment of the process
// it comes from, and no answer of a tool may hand one on.

import { keysIn, type PlannedModel } from "./model-plan.ts";
import { PROVIDER_KINDS, PROVIDERS } from "./provider-kinds.ts";
import type { Settings } from "./settings.ts";
import { type Surroundings, variable } from "./surroundings.ts";

/** Of other providers and of hosts of models: they are often set where agents run. */
const otherVariables = [
  "ANTHROPIC_AUTH_TOKEN",
  "AWS_SECRET_ACCESS_KEY",
  "AWS_SESSION_TOKEN",
  "AWS_BEARER_TOKEN_BEDROCK",
  "AZURE_API_KEY",
  "AZURE_OPENAI_API_KEY",
  "CEREBRAS_API_KEY",
  "CLAUDE_CODE_OAUTH_TOKEN",
  "COHERE_API_KEY",
  "DEEPSEEK_API_KEY",
  "FIREWORKS_API_KEY",
  "GOOGLE_API_KEY",
  "GROQ_API_KEY",
  "HF_TOKEN",
  "HUGGINGFACE_API_KEY",
  "MISTRAL_API_KEY",
  "NVIDIA_API_KEY",
  "OPENAI_ADMIN_KEY",
  "OPENROUTER_API_KEY",
  "PERPLEXITY_API_KEY",
  "REPLICATE_API_TOKEN",
  "TOGETHER_API_KEY",
  "XAI_API_KEY",
];

/** What stands in every variable that usually holds a key, and what addresses in others hold of one. */
export function keysAround({ env }: Pick<Surroundings, "env">): readonly string[] {
  const names = [...PROVIDER_KINDS.flatMap((kind) => PROVIDERS[kind].keyVariables), ...otherVariables];
  const addresses = [...PROVIDER_KINDS.flatMap((kind) => PROVIDERS[kind].baseUrlVariable ?? []), ...proxyVariables];
  const set = names.flatMap((name) => variable(env, name) ?? []);
  return [...new Set([...set, ...addresses.flatMap((name) => credentialsIn(variable(env, name) ?? ""))])];
}

export const proxyVariables = ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"];

/** The password of `scheme://user:password@host`, as it is written there and as it is meant. */
export function credentialsIn(address: string): readonly string[] {
  const written = /^[a-z][a-z0-9+.-]*:\/\/[^/@]*?:([^/@]+)@/i.exec(address)?.[1];
  if (written === undefined) return [];
  try {
    return [written, decodeURIComponent(written)];
  } catch {
    return [written];
  }
}

/** Keys of the plans, and what stands in every variable that holds a provider's key. */
export function knownKeys(
  { env }: Pick<Surroundings, "env">,
  models: readonly PlannedModel[],
  settings: Pick<Settings, "providers">,
): readonly string[] {
  const names = PROVIDER_KINDS.flatMap((kind) => {
    const { key } = settings.providers[kind];
    return [...PROVIDERS[kind].keyVariables, ...(key.kind === "variables" ? key.names : [key.name])];
  });
  const set = [...names, ...otherVariables].flatMap((name) => variable(env, name) ?? []);
  return [...new Set([...keysIn(models), ...set])];
}
