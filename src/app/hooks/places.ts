// Where clients keep their settings and where our launcher lies, from the environment alone.

import { dirname, isAbsolute, join } from "node:path";
import { err, ok, type Result } from "../../base/result.ts";
import {
  type HookedClient,
  LAUNCHER_PATH,
  type McpCommand,
  projectCommand,
  projectServer,
  userCommand,
  userServer,
} from "../../clients/launcher-command.ts";
import { LAUNCHER_NAMES } from "../../clients/launcher-text.ts";
import type { ClientSettings } from "../../clients/settings.ts";
import { type Surroundings, variable } from "../surroundings.ts";

export type Scope = "user" | "project";

export interface NoHome {
  readonly kind: "no-home";
  readonly message: string;
}

/** All that we keep outside settings files and the state directory. */
export interface LauncherPlaces {
  readonly directory: string;
  readonly launcher: string;
  readonly copy: string;
  readonly node: string;
  readonly fault: string;
  /** Which settings files we have written. */
  readonly record: string;
}

/** `$XDG_DATA_HOME/skein`, else `~/.local/share/skein`. */
export function launcherPlaces(env: Surroundings["env"]): Result<LauncherPlaces, NoHome> {
  const xdg = variable(env, "XDG_DATA_HOME");
  const home = variable(env, "HOME");
  const usable = xdg !== null && isAbsolute(xdg);
  if (!usable && (home === null || !isAbsolute(home)))
    return err({ kind: "no-home", message: "HOME is not set to an absolute path" });
  const launcher = join(usable ? xdg : join(home ?? "", ".local", "share"), LAUNCHER_PATH);
  const directory = dirname(launcher);
  const beside = (name: string): string => join(directory, name);
  return ok({
    directory,
    launcher,
    copy: beside(LAUNCHER_NAMES.copy),
    node: beside(LAUNCHER_NAMES.node),
    fault: beside(LAUNCHER_NAMES.fault),
    record: beside("installed.json"),
  });
}

/** The client's directory in this scope; projects always use the fixed name. */
export async function settingsDirectory(
  surroundings: Surroundings,
  { directory: { variable: name, below = "", name: inHome, projectName = inHome } }: ClientSettings,
  scope: Scope,
): Promise<Result<string, NoHome>> {
  if (scope === "project") return ok(join(await projectRoot(surroundings), projectName));
  const own = name === null ? null : variable(surroundings.env, name);
  if (own !== null && isAbsolute(own)) return ok(join(own, below));
  const home = variable(surroundings.env, "HOME");
  return home !== null && isAbsolute(home)
    ? ok(join(home, inHome))
    : err({ kind: "no-home", message: "HOME is not set to an absolute path" });
}

/** Where the client's MCP servers may be, as `McpSettings.files` has them; none where ours is not registered with it. */
export function mcpFiles(
  { env }: Pick<Surroundings, "env">,
  { mcp, directory: { variable: name } }: ClientSettings,
  scope: Scope,
  directory: string,
): readonly string[] {
  const moved = name !== null && variable(env, name) === directory;
  return mcp === null ? [] : mcp.files({ scope, directory, moved });
}

export function serverFor(scope: Scope, launcher: string): McpCommand {
  return scope === "user" ? userServer(launcher) : projectServer();
}

export function commandFor(scope: Scope, launcher: string, client: HookedClient): string {
  return scope === "user" ? userCommand(launcher, client) : projectCommand(client);
}

/** The nearest directory with a `.git`, else the current one. */
async function projectRoot({ host: { files }, cwd }: Surroundings): Promise<string> {
  for (let at = cwd; ; at = dirname(at)) {
    if ((await files.stat(join(at, ".git"))).ok) return at;
    if (at === dirname(at)) return cwd;
  }
}
