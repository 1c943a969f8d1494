// The sandbox of a command's agents: opened once, with what is to be hidden of this machine. Without one, why.

import { delimiter, isAbsolute, join } from "node:path";
import { openBubblewrap } from "../adapters/sandbox/bubblewrap.ts";
import type { Files } from "../host/files.ts";
import type { Sandbox } from "../host/sandbox.ts";
import type { SandboxSettings } from "./approval-settings.ts";
import { stateDirectory } from "./state-directory.ts";
import { type Surroundings, shellEnvironment, variable } from "./surroundings.ts";

export type OpenedSandbox =
  | { readonly kind: "held"; readonly sandbox: Sandbox; readonly plan: SandboxPlan }
  /** The person wants none. */
  | { readonly kind: "free" }
  | { readonly kind: "none"; readonly reason: string; readonly remedy: string | null };

/** What another process needs to open the same. */
export interface SandboxPlan {
  readonly hidden: readonly string[];
  readonly open: readonly string[];
  readonly network: boolean;
}

/** Directories that appear empty besides, between the system's delimiters: a measurement's own, for the runs that it starts. */
export const hiddenVariable = "SKEIN_SANDBOX_HIDE";

/** `place` is what names without a root are relative to. */
export async function openSandbox(
  surroundings: Surroundings,
  settings: SandboxSettings,
  place: string,
): Promise<OpenedSandbox> {
  if (settings.mode.value === "off") return { kind: "free" };
  return openPlanned(surroundings, await planOf(surroundings, settings, place));
}

export async function openPlanned(surroundings: Surroundings, plan: SandboxPlan): Promise<OpenedSandbox> {
  const { host, platform, env } = surroundings;
  const { files, processes, clock } = host;
  const opened = await openBubblewrap({ files, processes, clock, platform, env: shellEnvironment(env), ...plan });
  return opened.ok ? { kind: "held", sandbox: opened.value, plan } : { kind: "none", ...opened.error };
}

async function planOf(
  surroundings: Surroundings,
  { network, writable }: SandboxSettings,
  place: string,
): Promise<SandboxPlan> {
  const { host, env, temporaryDirectory } = surroundings;
  const state = stateDirectory(surroundings);
  const home = variable(env, "HOME") ?? "/";
  const more = (variable(env, hiddenVariable) ?? "").split(delimiter).filter((path) => isAbsolute(path));
  return {
    // Other runs' conversations, and the sockets of coordinators.
    hidden: [...(state.ok ? [state.value] : []), temporaryDirectory, ...more].filter((path) => path !== "/tmp"),
    open: await existing(
      host.files,
      writable.map((path) => absolute(path, { home, place })),
    ),
    network,
  };
}

function absolute(path: string, { home, place }: { readonly home: string; readonly place: string }): string {
  const expanded = path.replace(/^~(?=\/|$)/, home);
  return isAbsolute(expanded) ? expanded : join(place, expanded);
}

/** Without symlinks; what is not there cannot be laid open. */
async function existing(files: Files, paths: readonly string[]): Promise<readonly string[]> {
  const real = await Promise.all(paths.map((path) => files.realPath(path)));
  return real.flatMap((one) => (one.ok ? [one.value] : []));
}

/** One line for the start of a run, about its commands. */
export function sandboxLine(opened: OpenedSandbox): string {
  switch (opened.kind) {
    case "held":
      return `shell commands run in a sandbox (${opened.sandbox.name}): they write in the tree only, ${opened.plan.network ? "with the network" : "without network"}`;
    case "free":
      return "shell commands are not sandboxed, as you wanted: they have your rights, but not your keys";
    case "none":
      return `shell commands are not sandboxed: ${opened.reason}${opened.remedy === null ? "" : ` (${opened.remedy})`}`;
  }
}
