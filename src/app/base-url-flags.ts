// What `--base-url` means: `<provider>=<url>` says it; a bare `<url>` is for the one provider it can be for.

import { err, ok, type Result } from "../base/result.ts";
import { cleanLine } from "../base/text.ts";
import { parseBaseUrl } from "./base-url.ts";
import type { ModelName } from "./model-names.ts";
import { isProviderKind, PROVIDER_KINDS, type ProviderKind } from "./provider-kinds.ts";
import type { SettingsError } from "./setting-sources.ts";

/** Addresses by provider; `models` are those the command is going to ask. */
export function resolveBaseUrlFlags(
  values: readonly string[],
  models: readonly ModelName[],
): Result<ReadonlyMap<ProviderKind, string>, SettingsError> {
  const found = new Map<ProviderKind, string>();
  for (const value of values) {
    const [, named, url = ""] = /^([\w-]+)=(.*)$/s.exec(value) ?? [undefined, undefined, value];
    if (named !== undefined && !isProviderKind(named))
      return refuse(`${cleanLine(named, 100)} is not a provider (${PROVIDER_KINDS.join(", ")})`);
    const parsed = parseBaseUrl(url);
    if (!parsed.ok) return refuse(parsed.error);
    const kind = named === undefined ? meantProvider(models) : ok(named);
    if (!kind.ok) return kind;
    if (found.has(kind.value)) return refuse(`names two addresses for ${kind.value}`);
    found.set(kind.value, parsed.value);
  }
  return ok(found);
}

function meantProvider(models: readonly ModelName[]): Result<ProviderKind, SettingsError> {
  const kinds = [...new Set(models.flatMap((name) => (name.kind === "provider" ? [name.provider] : [])))];
  if (kinds.includes("openai-compatible")) return ok("openai-compatible");
  const [only, ...others] = kinds;
  if (only === undefined) return refuse("no model of this command is asked over the network");
  if (others.length > 0)
    return refuse(`the models are of ${kinds.join(" and ")}: say which is meant, for example ${only}=<url>`);
  return ok(only);
}

function refuse(what: string): Result<never, SettingsError> {
  return err({ kind: "settings", message: `--base-url: ${what}` });
}
