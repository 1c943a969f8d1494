// Configuration files: where the repository's and the person's lie, each read whole and checked, or refused.

import { dirname, isAbsolute, join, relative } from "node:path";
import { err, ok, type Result } from "../base/result.ts";
import type { Files } from "../host/files.ts";
import type { Config } from "./config-schema.ts";
import type { ConfigError, ConfigScope } from "./config-text.ts";
import { type Surroundings, variable } from "./surroundings.ts";

export const projectFileName = "skein.config.json";

export interface LoadedConfig {
  readonly path: string;
  readonly config: Config;
}

export interface ConfigFiles {
  readonly project: LoadedConfig | null;
  readonly user: LoadedConfig | null;
}

const configBytesMax = 256 * 1024;
/** Deeper is no directory that anybody works in. */
const directoriesUpMax = 200;

export interface ConfigPlace {
  readonly files: Files;
  readonly env: Surroundings["env"];
  /** Where the command runs, absolute. */
  readonly directory: string;
  /** Top of the repository, absolute; null outside one: then only `directory` itself is looked at. */
  readonly repositoryRoot: string | null;
}

/** The nearest project file from the directory up to the repository's root, and the person's own file. Neither is needed. */
export async function loadConfigs(place: ConfigPlace): Promise<Result<ConfigFiles, ConfigError>> {
  const project = await loadProject(place);
  if (!project.ok) return project;
  const path = userConfigPath(place.env);
  const user = path === null ? ok(null) : await loadFile(place.files, path, "user");
  return user.ok ? ok({ project: project.value, user: user.value }) : user;
}

/** `$XDG_CONFIG_HOME/skein/config.json`, else `~/.config/skein/config.json`; null where neither variable is set. */
export function userConfigPath(env: Surroundings["env"]): string | null {
  const xdg = variable(env, "XDG_CONFIG_HOME");
  const home = variable(env, "HOME");
  if (xdg !== null && isAbsolute(xdg)) return join(xdg, "skein", "config.json");
  return home !== null && isAbsolute(home) ? join(home, ".config", "skein", "config.json") : null;
}

async function loadProject(place: ConfigPlace): Promise<Result<LoadedConfig | null, ConfigError>> {
  for (const directory of await directoriesUp(place)) {
    const found = await loadFile(place.files, join(directory, projectFileName), "project");
    if (!found.ok || found.value !== null) return found;
  }
  return ok(null);
}

/** The directory and those above it up to the root; the root alone where the directory lies elsewhere. */
async function directoriesUp({ files, directory, repositoryRoot }: ConfigPlace): Promise<readonly string[]> {
  if (repositoryRoot === null) return [directory];
  const [start, root] = [await realOr(files, directory), await realOr(files, repositoryRoot)];
  const inside = relative(root, start);
  if (inside.startsWith("..") || isAbsolute(inside)) return [root];
  const found = [start];
  for (let at = start; at !== root && found.length < directoriesUpMax; ) {
    at = dirname(at);
    found.push(at);
  }
  return found;
}

async function realOr(files: Files, path: string): Promise<string> {
  const real = await files.realPath(path);
  return real.ok ? real.value : path;
}

async function loadFile(
  files: Files,
  path: string,
  scope: ConfigScope,
): Promise<Result<LoadedConfig | null, ConfigError>> {
  const refuse = (problem: string): Result<LoadedConfig | null, ConfigError> =>
    err({ kind: "config", path, problems: [problem] });
  const stat = await files.stat(path);
  if (!stat.ok)
    return stat.error.code === "not-found" || stat.error.code === "not-directory"
      ? ok(null)
      : refuse(`cannot be read: ${stat.error.message}`);
  // People link their own files from elsewhere; a repository's link could name any file of the machine.
  if (stat.value.kind !== "file" && !(scope === "user" && stat.value.kind === "symlink"))
    return refuse(`is a ${stat.value.kind === "other" ? "special file" : stat.value.kind}, not a file`);
  const bytes = await files.read(path, configBytesMax);
  if (!bytes.ok)
    return refuse(
      bytes.error.code === "too-large"
        ? `is larger than ${configBytesMax / 1024} KiB`
        : `cannot be read: ${bytes.error.message}`,
    );
  // Its reader is loaded only where there is a file: most runs have none.
  const { parseConfig } = await import("./config-text.ts");
  const parsed = parseConfig(new TextDecoder().decode(bytes.value), path, scope);
  return parsed.ok ? ok({ path, config: parsed.value }) : parsed;
}
