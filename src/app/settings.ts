// The settings of a command: flags over the repository's file over the person's over defaults, each with where it came from. Pure.
// Invariant: a repository's file never loosens a limit that the person's own file sets.

import { err, ok, type Result } from "../base/result.ts";
import type { NamedPrices } from "../model/price-table.ts";
import type { Role } from "../model/provider.ts";
import type { Price } from "../model/usage.ts";
import { type ApprovalSettings, resolveApproval, resolveSandbox, type SandboxSettings } from "./approval-settings.ts";
import { resolveBaseUrlFlags } from "./base-url-flags.ts";
import type { LoadedConfig } from "./config.ts";
import { schemaProblems } from "./config-problems.ts";
import type { ConfigPrice } from "./config-schema.ts";
import { type HookSettings, hookSettingsOf } from "./hook-settings.ts";
import { CHECK } from "./limit-schema.ts";
import { type Limits, resolveLimits } from "./limit-settings.ts";
import { resolveModels } from "./model-settings.ts";
import type { Sourced } from "./origin.ts";
import { PROVIDER_KINDS, type ProviderKind } from "./provider-kinds.ts";
import { chooseProvider, type ProviderChoice } from "./provider-settings.ts";
import type { RoleSettings, SettingSources, SettingsError } from "./setting-sources.ts";

export interface Settings {
  readonly roles: Readonly<Record<Role, RoleSettings>>;
  readonly limits: Limits;
  readonly providers: Readonly<Record<ProviderKind, ProviderChoice>>;
  /** The person's prices, which win over the table. */
  readonly prices: NamedPrices;
  /** The repository's prices: only for models that nothing else knows the price of. */
  readonly projectPrices: NamedPrices;
  readonly check: Sourced<string> | null;
  /** Whether workers' files may be overlays. */
  readonly workspaces: "auto" | "copy";
  /** New names of a swarm's commits that differ from others only by case. */
  readonly caseOnlyNames: "refuse" | "allow";
  readonly hooks: HookSettings;
  readonly approval: ApprovalSettings;
  readonly sandbox: SandboxSettings;
  /** What a person should be told, a sentence each. */
  readonly notes: readonly string[];
}

export function resolveSettings(sources: SettingSources): Result<Settings, SettingsError> {
  const { flags, project, user, env } = sources;
  const roles = resolveModels(sources);
  if (!roles.ok) return roles;
  const limits = resolveLimits(sources);
  if (!limits.ok) return limits;
  const models = sources.roles.flatMap((role) => roles.value[role].model?.value ?? []);
  const baseUrls = resolveBaseUrlFlags(flags.baseUrls ?? [], models);
  if (!baseUrls.ok) return baseUrls;
  const check = resolveCheck(sources);
  if (!check.ok) return check;
  const approval = resolveApproval(sources);
  if (!approval.ok) return approval;
  const sandbox = resolveSandbox(sources);
  if (!sandbox.ok) return sandbox;
  const choose = (kind: ProviderKind): ProviderChoice =>
    chooseProvider(kind, { flag: baseUrls.value.get(kind) ?? null, project, user, env });
  return ok({
    roles: roles.value,
    limits: limits.value.limits,
    providers: byKind(choose),
    prices: pricesOf(user),
    projectPrices: pricesOf(project),
    check: check.value,
    workspaces: [project, user].some((loaded) => loaded?.config.workspaces === "copy") ? "copy" : "auto",
    caseOnlyNames: caseOnlyNamesOf([project, user]),
    hooks: hookSettingsOf(user, env),
    approval: approval.value,
    sandbox: sandbox.value,
    notes: limits.value.notes,
  });
}

function resolveCheck({ flags, project, user }: SettingSources): Result<Sourced<string> | null, SettingsError> {
  if (flags.check !== undefined) {
    const parsed = CHECK.safeParse(flags.check);
    if (!parsed.success)
      return err({ kind: "settings", message: `--check: ${schemaProblems(CHECK, parsed.error).join("; ")}` });
    return ok({ value: parsed.data, origin: { kind: "flag", flag: "--check" } });
  }
  if (project?.config.check !== undefined)
    return ok({ value: project.config.check, origin: { kind: "project", path: project.path } });
  if (user?.config.check !== undefined)
    return ok({ value: user.config.check, origin: { kind: "user", path: user.path } });
  return ok(null);
}

/** `refuse` in either file holds; `allow` in one of them is enough where the other says nothing. */
function caseOnlyNamesOf(files: readonly (LoadedConfig | null)[]): Settings["caseOnlyNames"] {
  const said = files.map((loaded) => loaded?.config.caseOnlyNames);
  return said.includes("allow") && !said.includes("refuse") ? "allow" : "refuse";
}

function byKind(choose: (kind: ProviderKind) => ProviderChoice): Readonly<Record<ProviderKind, ProviderChoice>> {
  const entries = PROVIDER_KINDS.map((kind) => [kind, choose(kind)] as const);
  return Object.fromEntries(entries) as Record<ProviderKind, ProviderChoice>;
}

function pricesOf(loaded: LoadedConfig | null): NamedPrices {
  return new Map(Object.entries(loaded?.config.prices ?? {}).map(([name, price]) => [name, toPrice(price)]));
}

function toPrice({ input, cached, cacheWrite, output }: ConfigPrice): Price {
  return {
    inputUsdPerMtok: input,
    cachedUsdPerMtok: cached ?? input,
    ...(cacheWrite === undefined ? {} : { cacheWriteUsdPerMtok: cacheWrite }),
    outputUsdPerMtok: output,
  };
}
