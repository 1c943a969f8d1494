// A client's plugin as a folder: a second way in beside `skein install`, for those who manage plugins. Made by the build into dist/plugins.
// Invariant: it carries all that it needs, and does nothing where the person's settings call the launcher already, so that no hook runs twice.

import { type PlanOptions, planOf } from "./event-table.ts";
import { type HookedClient, LAUNCHER_PATH } from "./launcher-command.ts";
import { LAUNCHER_NAMES, launcherText } from "./launcher-text.ts";

export interface PluginParts {
  readonly client: HookedClient;
  /** Below the folder; holds the manifest. */
  readonly manifestPath: string;
  /** The variable that names the folder to its hooks. */
  readonly rootVariable: string;
  /** All that its newest version knows goes in. */
  readonly plan: PlanOptions;
  /** Settings that may call the launcher, as words for sh. */
  readonly settings: readonly string[];
}

export interface PluginFile {
  readonly text: string;
  readonly executable: boolean;
}

/** In the folder besides these: the hook's program, by the name that the launcher has for its copy. */
export const PLUGIN_HOOK_NAME = LAUNCHER_NAMES.copy;

/** By path in the folder. */
export function pluginFolder(parts: PluginParts, version: string): ReadonlyMap<string, PluginFile> {
  const manifest = {
    name: "skein",
    version,
    description: "Tells each session who else works on the repository, on which files and what for",
    license: "MIT",
  };
  return new Map<string, PluginFile>([
    [parts.manifestPath, json(manifest)],
    ["hooks/hooks.json", json({ hooks: hooksOf(parts) })],
    ["hook.sh", { text: guardText(parts), executable: true }],
    // Neither the hook nor the Node of anybody's machine: the hook beside it, on the first Node that is found.
    ["skein-hook", { text: launcherText({ hook: "", node: "" }), executable: true }],
  ]);
}

function hooksOf({ plan, rootVariable }: PluginParts): Readonly<Record<string, readonly object[]>> {
  const { entries } = planOf(plan, [Number.MAX_SAFE_INTEGER, 0, 0], `sh "\${${rootVariable}}/hook.sh"`);
  const groups = entries.map(({ event, matcher, command, timeoutS }) => ({
    event,
    group: { ...(matcher === null ? {} : { matcher }), hooks: [{ type: "command", command, timeout: timeoutS }] },
  }));
  const byEvent = Map.groupBy(groups, ({ event }) => event);
  return Object.fromEntries([...byEvent].map(([event, all]) => [event, all.map(({ group }) => group)]));
}

/** The launcher of `skein install` is asked first: it goes with upgrades of the package. */
function guardText({ client, settings }: PluginParts): string {
  return `#!/bin/sh
# Runs Skein's hook for this plugin, unless settings written by \`skein install\` do so already.
[ "$SKEIN_HOOKS_OFF" != 1 ] || exit 0
! grep -qs skein-hook ${settings.join(" ")} || exit 0
installed="\${XDG_DATA_HOME:-$HOME/.local/share}/${LAUNCHER_PATH}"
[ ! -x "$installed" ] || exec "$installed" ${client} "$@"
exec sh "\${0%/*}/skein-hook" ${client} "$@"
`;
}

function json(value: object): PluginFile {
  return { text: `${JSON.stringify(value, null, 2)}\n`, executable: false };
}

/** What `claude plugin marketplace add` and `codex plugin marketplace add` read, each at its own path in the folder of all plugins. */
export function marketplaces(): ReadonlyMap<string, string> {
  const claude = {
    name: "skein",
    owner: { name: "Skein" },
    plugins: [{ name: "skein", source: "./claude-code", description: "Sessions that know of each other" }],
  };
  const codex = {
    name: "skein",
    interface: { displayName: "Skein" },
    plugins: [
      {
        name: "skein",
        source: { source: "local", path: "./codex" },
        policy: { installation: "AVAILABLE", authentication: "ON_INSTALL" },
        category: "Productivity",
      },
    ],
  };
  return new Map([
    [".claude-plugin/marketplace.json", json(claude).text],
    [".agents/plugins/marketplace.json", json(codex).text],
  ]);
}
