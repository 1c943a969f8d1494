// Where a provider is asked and which variable holds its key.
// Invariant: a repository's file decides neither, it only proposes: a host holds if the person has confirmed it, a key's
// variable if the person or the provider names it so. What is not confirmed is said, never silently used or dropped.

import { originOf, parseBaseUrl } from "./base-url.ts";
import type { LoadedConfig } from "./config.ts";
import type { ProviderSettings as FileSettings } from "./config-schema.ts";
import type { Sourced } from "./origin.ts";
import { PROVIDERS, type ProviderKind } from "./provider-kinds.ts";
import { type Surroundings, variable } from "./surroundings.ts";

export type BaseUrlChoice =
  | ({ readonly kind: "known" } & Sourced<string>)
  /** Nobody named one, and the provider has none of its own. */
  | { readonly kind: "unknown" }
  /** A repository's file at `path` names a host that the person has not confirmed. */
  | { readonly kind: "unconfirmed"; readonly baseUrl: string; readonly path: string }
  /** The provider's variable holds no address. */
  | { readonly kind: "malformed"; readonly variable: string };

export type KeyChoice =
  /** The first of them that is set holds the key. */
  | { readonly kind: "variables"; readonly names: readonly string[]; readonly needed: boolean }
  /** A repository's file at `path` names a variable that the person has not confirmed. */
  | { readonly kind: "unconfirmed"; readonly name: string; readonly path: string };

export interface ProviderChoice {
  readonly baseUrl: BaseUrlChoice;
  readonly key: KeyChoice;
}

export interface ProviderSources {
  /** From `--base-url`, checked already. */
  readonly flag: string | null;
  readonly project: LoadedConfig | null;
  readonly user: LoadedConfig | null;
  readonly env: Surroundings["env"];
}

export function chooseProvider(kind: ProviderKind, sources: ProviderSources): ProviderChoice {
  return { baseUrl: chooseBaseUrl(kind, sources), key: chooseKey(kind, sources) };
}

function chooseBaseUrl(kind: ProviderKind, { flag, project, user, env }: ProviderSources): BaseUrlChoice {
  const facts = PROVIDERS[kind];
  const name = facts.baseUrlVariable;
  const own = name === null ? null : variable(env, name);
  const settings = settingsOf(user, kind);
  if (flag !== null) return { kind: "known", value: flag, origin: { kind: "flag", flag: "--base-url" } };
  const proposed = addressOf(settingsOf(project, kind)?.baseUrl);
  if (project !== null && proposed !== null) {
    const confirmed = [settings?.baseUrl, ...(settings?.trustedBaseUrls ?? []), own, facts.baseUrl]
      .map(addressOf)
      .some((address) => address !== null && originOf(address) === originOf(proposed));
    return confirmed
      ? { kind: "known", value: proposed, origin: { kind: "project", path: project.path } }
      : { kind: "unconfirmed", baseUrl: proposed, path: project.path };
  }
  const chosen = addressOf(settings?.baseUrl);
  if (user !== null && chosen !== null)
    return { kind: "known", value: chosen, origin: { kind: "user", path: user.path } };
  if (name !== null && own !== null) {
    const address = addressOf(own);
    return address === null
      ? { kind: "malformed", variable: name }
      : { kind: "known", value: address, origin: { kind: "variable", variable: name } };
  }
  return facts.baseUrl === null
    ? { kind: "unknown" }
    : { kind: "known", value: facts.baseUrl, origin: { kind: "default" } };
}

function chooseKey(kind: ProviderKind, { project, user }: ProviderSources): KeyChoice {
  const { keyVariables, keyNeeded } = PROVIDERS[kind];
  const own = settingsOf(user, kind)?.apiKeyEnv;
  const proposed = settingsOf(project, kind)?.apiKeyEnv;
  if (project !== null && proposed !== undefined && proposed !== own && !keyVariables.includes(proposed))
    return { kind: "unconfirmed", name: proposed, path: project.path };
  const named = proposed ?? own;
  // Whoever names a variable counts on it: to send nothing instead would surprise.
  return named === undefined
    ? { kind: "variables", names: keyVariables, needed: keyNeeded }
    : { kind: "variables", names: [named], needed: true };
}

function settingsOf(loaded: LoadedConfig | null, kind: ProviderKind): FileSettings | undefined {
  return loaded?.config.providers?.[kind];
}

function addressOf(text: string | null | undefined): string | null {
  if (text === null || text === undefined) return null;
  const parsed = parseBaseUrl(text);
  return parsed.ok ? parsed.value : null;
}
