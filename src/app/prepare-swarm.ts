// What a run needs before anything of it is made: the repository as it is, the settings, a model for each role. Everything that can
// be wrong is found here, before a directory is made or a model asked.

import type { Result } from "../base/result.ts";
import { err, ok } from "../base/result.ts";
import type { FileError, Files } from "../host/files.ts";
import type { SwarmRole } from "../swarm/records.ts";
import type { Git } from "../vcs/git/command.ts";
import { ignoreSources } from "../vcs/git/ignore-sources.ts";
import { type InspectError, inspectRepository, type RepositoryInfo } from "../vcs/git/inspect.ts";
import { loadSettings, type SettingsRequest } from "./load-settings.ts";
import { requestsPerMinuteProblem } from "./requests-per-minute.ts";
import { planRoles, type RoleModel } from "./role-models.ts";
import { type OpenedSandbox, openSandbox } from "./sandbox.ts";
import type { Settings } from "./settings.ts";
import { type Surroundings, variable } from "./surroundings.ts";
import type { RunFlags, SwarmError } from "./swarm-types.ts";

export const swarmRoles: readonly SwarmRole[] = ["planner", "worker", "arbiter"];

export interface Inspected {
  readonly git: Git;
  readonly info: RepositoryInfo;
  readonly ignoreTexts: readonly string[];
}

export interface Decided {
  readonly settings: Settings;
  readonly sandbox: OpenedSandbox;
  readonly roles: readonly RoleModel[];
  readonly requestsPerMinute: number | null;
  readonly record: string | null;
}

export function gitOf({ host, env }: Surroundings): Git {
  return { processes: host.processes, path: variable(env, "PATH") ?? "/usr/bin:/bin" };
}

export async function inspect(
  surroundings: Surroundings,
  repository: string,
): Promise<Result<Inspected, InspectError>> {
  const { files } = surroundings.host;
  const git = gitOf(surroundings);
  const place = await directoryAt(files, repository);
  if (!place.ok) return place;
  let ignoreTexts: readonly string[] = [];
  const excludesFile = async (root: string) => {
    const sources = await ignoreSources({ git, files, root, user: userHome(surroundings) });
    if (!sources.ok) return sources;
    ignoreTexts = sources.value.texts;
    return ok(sources.value.excludesFile);
  };
  const info = await inspectRepository({ git, files, path: repository, excludesFile });
  return info.ok ? ok({ git, info: info.value, ignoreTexts }) : info;
}

/** Git says something else of a file on every system. */
async function directoryAt(files: Files, path: string): Promise<Result<void, FileError>> {
  const real = await files.realPath(path);
  if (!real.ok) return real;
  const stat = await files.stat(real.value);
  if (!stat.ok) return stat;
  if (stat.value.kind === "directory") return ok(undefined);
  return err({ kind: "file", code: "not-directory", path, message: "it is not a directory" });
}

export function userHome({ env }: Surroundings): { readonly home: string; readonly xdgConfigHome?: string } {
  const home = variable(env, "HOME") ?? "/nonexistent";
  const xdgConfigHome = variable(env, "XDG_CONFIG_HOME");
  return xdgConfigHome === null ? { home } : { home, xdgConfigHome };
}

export async function decide(
  surroundings: Surroundings,
  flags: RunFlags,
  place: Pick<SettingsRequest, "directory" | "repositoryRoot" | "configFiles">,
): Promise<Result<Decided, SwarmError>> {
  const { requestsPerMinute = null, record = null } = flags;
  const problem = requestsPerMinuteProblem(flags.requestsPerMinute);
  if (problem !== null) return err(problem);
  const loaded = await loadSettings(surroundings, { flags, roles: swarmRoles, ...place });
  if (!loaded.ok) return loaded;
  const roles = await planRoles(surroundings, loaded.value, swarmRoles);
  if (!roles.ok) return roles;
  if (record !== null) {
    const made = await surroundings.host.files.makeDirectory(record, { private: true });
    if (!made.ok) return made;
  }
  const { settings } = loaded.value;
  const sandbox = await openSandbox(surroundings, settings.sandbox, place.directory);
  return ok({ settings, sandbox, roles: roles.value, requestsPerMinute, record });
}
