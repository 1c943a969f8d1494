// What the program finds around it at start: its ports, environment, directory and own files. Entries fill it in; nothing else looks.

import type { Host } from "../host/host.ts";

export interface Surroundings {
  readonly host: Host;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly processId: number;
  /** As Node names the system: `linux`, `darwin`. */
  readonly platform: string;
  /** Where package.json lies. */
  readonly packageRoot: string;
  /** The running Node. */
  readonly nodePath: string;
  /** The worker host's program file, and what Node needs before it. */
  readonly workerHost: readonly string[];
  readonly temporaryDirectory: string;
  /** From now on this process, or a child that leads a session of its own, lets others go first. */
  readonly stepBack?: (child?: number) => void;
}

/** The variables that shell commands, checks and git get; keys and tokens are not among them. */
const passed = ["PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "TERM"];

export function shellEnvironment(env: Surroundings["env"]): Readonly<Record<string, string>> {
  const kept: Record<string, string> = {};
  for (const name of passed) {
    const value = env[name];
    if (value !== undefined) kept[name] = value;
  }
  return kept;
}

/** The first of these variables that is set and not empty. */
export function variable(env: Surroundings["env"], ...names: readonly string[]): string | null {
  for (const name of names) {
    const value = env[name];
    if (value !== undefined && value !== "") return value;
  }
  return null;
}
