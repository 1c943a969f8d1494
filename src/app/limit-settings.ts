// The limits of a run: a flag as it says, otherwise the smaller of the repository's and the person's, otherwise the default.

import { err, ok, type Result } from "../base/result.ts";
import { defaultLimits, requestsMaxDefault, workersDefault } from "../swarm/defaults.ts";
import type { LoadedConfig } from "./config.ts";
import { schemaProblems } from "./config-problems.ts";
import { LIMITS, type LimitName } from "./limit-schema.ts";
import { originText, type Sourced } from "./origin.ts";
import type { SettingFlags, SettingSources, SettingsError } from "./setting-sources.ts";

/** Null is no limit. */
export interface Limits {
  readonly budgetUsd: Sourced<number> | null;
  readonly requests: Sourced<number>;
  readonly tasks: Sourced<number>;
  readonly depth: Sourced<number>;
  readonly minutes: Sourced<number> | null;
  readonly workers: Sourced<number>;
}

export interface ResolvedLimits {
  readonly limits: Limits;
  readonly notes: readonly string[];
}

const FLAGS: Readonly<Record<LimitName, string>> = {
  budgetUsd: "--budget",
  requests: "--max-requests",
  tasks: "--max-tasks",
  depth: "--max-depth",
  minutes: "--max-minutes",
  workers: "--workers",
};

export function resolveLimits(sources: SettingSources): Result<ResolvedLimits, SettingsError> {
  const wrong = wrongFlag(sources.flags);
  if (wrong !== null) return err({ kind: "settings", message: wrong });
  const notes: string[] = [];
  const named = (name: LimitName): Sourced<number> | null => {
    const { value, note } = choose(name, sources);
    if (note !== null) notes.push(note);
    return value;
  };
  const { split } = defaultLimits({ workers: workersDefault, requestsMax: requestsMaxDefault });
  const orDefault = (name: LimitName, value: number): Sourced<number> =>
    named(name) ?? { value, origin: { kind: "default" } };
  const limits = {
    budgetUsd: named("budgetUsd"),
    requests: orDefault("requests", requestsMaxDefault),
    tasks: orDefault("tasks", split.tasksMax),
    depth: orDefault("depth", split.depthMax),
    minutes: named("minutes"),
    workers: orDefault("workers", workersDefault),
  };
  return ok({ limits, notes });
}

/** A flag is held to what a file is. */
function wrongFlag(flags: SettingFlags): string | null {
  for (const [name, flag] of Object.entries(FLAGS) as [LimitName, string][]) {
    if (flags[name] === undefined) continue;
    const parsed = LIMITS.shape[name].safeParse(flags[name]);
    if (!parsed.success) return `${flag}: ${schemaProblems(LIMITS.shape[name], parsed.error).join("; ")}`;
  }
  return null;
}

interface Choice {
  readonly value: Sourced<number> | null;
  readonly note: string | null;
}

function choose(name: LimitName, { flags, project, user }: SettingSources): Choice {
  const flag = FLAGS[name];
  const typed = flags[name];
  if (typed !== undefined) return { value: { value: typed, origin: { kind: "flag", flag } }, note: null };
  const theirs = limitOf(project, "project", name);
  const own = limitOf(user, "user", name);
  if (theirs === null || own === null) return { value: theirs ?? own, note: null };
  if (theirs.value <= own.value) return { value: theirs, note: null };
  const note = `limits.${name}: ${originText(theirs.origin)} says ${theirs.value}, your own file ${own.value}; the smaller holds (${flag} sets another)`;
  return { value: own, note };
}

function limitOf(loaded: LoadedConfig | null, kind: "project" | "user", name: LimitName): Sourced<number> | null {
  const value = loaded?.config.limits?.[name];
  return loaded === null || value === undefined ? null : { value, origin: { kind, path: loaded.path } };
}
