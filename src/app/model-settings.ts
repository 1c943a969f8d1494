// Which model each role has: what names the role closest to the command wins, and a role's own name wins over one for all.

import { dirname, resolve } from "node:path";
import { err, ok, type Result } from "../base/result.ts";
import type { Role } from "../model/provider.ts";
import type { LoadedConfig } from "./config.ts";
import { type ModelName, parseModelName } from "./model-names.ts";
import { type Origin, originText, type Sourced } from "./origin.ts";
import type { RoleSettings, SettingSources, SettingsError } from "./setting-sources.ts";
import { variable } from "./surroundings.ts";

export function resolveModels(sources: SettingSources): Result<Readonly<Record<Role, RoleSettings>>, SettingsError> {
  const solo = resolveRole("solo", sources);
  const child = resolveRole("child", sources);
  const planner = resolveRole("planner", sources);
  const worker = resolveRole("worker", sources);
  const arbiter = resolveRole("arbiter", sources);
  if (!solo.ok) return solo;
  if (!child.ok) return child;
  if (!planner.ok) return planner;
  if (!worker.ok) return worker;
  if (!arbiter.ok) return arbiter;
  return ok({
    solo: solo.value,
    child: child.value,
    planner: planner.value,
    worker: worker.value,
    arbiter: arbiter.value,
  });
}

function resolveRole(role: Role, sources: SettingSources): Result<RoleSettings, SettingsError> {
  const named = candidates(role, sources).find(({ value }) => value !== undefined);
  const option = (name: OptionName): Sourced<number> | null =>
    optionOf(sources.project, "project", { role, name }) ?? optionOf(sources.user, "user", { role, name });
  const options = { maxOutputTokens: option("maxOutputTokens"), contextTokens: option("contextTokens") };
  if (named?.value === undefined) return ok({ model: null, ...options });
  const parsed = parseModelName(named.value);
  if (!parsed.ok) return err({ kind: "settings", message: `${originText(named.origin)}: ${parsed.error.message}` });
  return ok({
    model: { value: absolute(parsed.value, named.origin, sources.cwd), origin: named.origin },
    ...options,
  });
}

type Candidate = Sourced<string | undefined>;

/** Best first. Whoever names a worker's model and none for all means it for arbiters too: they are a worker's kind of work. */
function candidates(role: Role, { flags, project, user, env }: SettingSources): readonly Candidate[] {
  const flag = (name: "model" | "child" | "planner" | "worker" | "arbiter"): Candidate => ({
    value: flags[name],
    origin: { kind: "flag", flag: `--${name}` },
  });
  const asWorker = role === "arbiter" ? [flag("worker")] : [];
  return [
    ...(role === "solo" ? [] : [flag(role)]),
    flag("model"),
    ...asWorker,
    { value: variable(env, "SKEIN_MODEL") ?? undefined, origin: { kind: "variable", variable: "SKEIN_MODEL" } },
    ...fileCandidates(role, project, "project"),
    ...fileCandidates(role, user, "user"),
  ];
}

function fileCandidates(role: Role, loaded: LoadedConfig | null, kind: "project" | "user"): readonly Candidate[] {
  if (loaded === null) return [];
  const { roles, model } = loaded.config;
  const asAnother = role === "arbiter" ? roles?.worker?.model : role === "child" ? roles?.solo?.model : undefined;
  const named = [roles?.[role]?.model, model, asAnother];
  return named.map((value) => ({ value, origin: { kind, path: loaded.path } }));
}

type OptionName = "maxOutputTokens" | "contextTokens";

function optionOf(
  loaded: LoadedConfig | null,
  kind: "project" | "user",
  { role, name }: { readonly role: Role; readonly name: OptionName },
): Sourced<number> | null {
  const value = loaded?.config.roles?.[role]?.[name];
  return loaded === null || value === undefined ? null : { value, origin: { kind, path: loaded.path } };
}

/** Files named in a configuration file are relative to it, others to where the command runs. */
function absolute(name: ModelName, origin: Origin, cwd: string): ModelName {
  const from = origin.kind === "user" || origin.kind === "project" ? dirname(origin.path) : cwd;
  switch (name.kind) {
    case "provider":
      return name;
    case "script":
      return { kind: "script", file: resolve(from, name.file) };
    case "replay":
      return { kind: "replay", directory: resolve(from, name.directory) };
  }
}
