// Where everything of Skein's is kept on a machine. One place for the command and for the hooks, or they would not find each other.

import { isAbsolute, join } from "node:path";
import { err, ok, type Result } from "../base/result.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** `message` is for a person. */
export interface NoStateRoot {
  readonly kind: "no-state-directory";
  readonly message: string;
}

/**
 * `SKEIN_STATE_DIR`, else `$XDG_STATE_HOME/skein`, else the system's usual place: `~/.local/state/skein`, on macOS
 * `~/Library/Application Support/skein`, on Windows `%LOCALAPPDATA%\skein`. `platform` as Node names it.
 */
export function stateRoot(env: Environment, platform: string): Result<string, NoStateRoot> {
  const own = set(env.SKEIN_STATE_DIR);
  if (own !== null) {
    if (isAbsolute(own)) return ok(own);
    return err({ kind: "no-state-directory", message: `SKEIN_STATE_DIR must be an absolute path, not ${own}` });
  }
  const xdg = set(env.XDG_STATE_HOME);
  if (xdg !== null && isAbsolute(xdg)) return ok(join(xdg, "skein"));
  const usual = usualPlace(env, platform);
  if (usual !== null && isAbsolute(usual)) return ok(usual);
  return err({ kind: "no-state-directory", message: "neither SKEIN_STATE_DIR, XDG_STATE_HOME nor HOME is set" });
}

function usualPlace(env: Environment, platform: string): string | null {
  const local = set(env.LOCALAPPDATA);
  if (platform === "win32" && local !== null) return join(local, "skein");
  const home = set(env.HOME) ?? set(env.USERPROFILE);
  if (home === null) return null;
  return platform === "darwin"
    ? join(home, "Library", "Application Support", "skein")
    : join(home, ".local", "state", "skein");
}

function set(value: string | undefined): string | null {
  return value === undefined || value === "" ? null : value;
}
