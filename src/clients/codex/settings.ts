// Codex's settings: hooks.json, or tables in config.toml where the person keeps hooks there, since Codex warns at every start about both.

import { join } from "node:path";
import { planOf } from "../event-table.ts";
import { jsonForm } from "../hooks-file/json-form.ts";
import type { ClientSettings, HookForm, SettingsFile } from "../settings.ts";
import { tomlServerForm } from "./server.ts";
import { featureIsOff, holdsHooks, tomlForm } from "./toml.ts";

/** The first five and Stop are in 0.125.0, the next three in 0.135.0; looked up in those versions. SessionEnd: openai/codex#33895. */
export const codexPlan = {
  events: [
    { event: "SessionStart", since: [0, 125, 0], matcher: null },
    { event: "UserPromptSubmit", since: [0, 125, 0], matcher: null },
    { event: "PreToolUse", since: [0, 125, 0], matcher: "^Bash$", shell: true },
    { event: "PostToolUse", since: [0, 125, 0], matcher: "^apply_patch$" },
    { event: "PostToolUse", since: [0, 125, 0], matcher: "^Bash$", shell: true },
    { event: "PermissionRequest", since: [0, 125, 0], matcher: null },
    { event: "PreCompact", since: [0, 135, 0], matcher: null },
    { event: "SubagentStart", since: [0, 135, 0], matcher: null },
    { event: "SubagentStop", since: [0, 135, 0], matcher: null },
    { event: "Stop", since: [0, 125, 0], matcher: null },
    { event: "Interrupt", since: [0, 150, 0], matcher: null },
    { event: "SessionEnd", since: [0, 145, 0], matcher: null },
  ],
  unknownAs: [0, 125, 0],
  // Codex takes no more for the last two.
  timeoutS: 3,
} as const;

const hooksFile: SettingsFile = { name: "hooks.json", form: jsonForm };
/** Our MCP server is in this one, too, wherever the hooks are. */
const configForm: HookForm = {
  ...tomlForm,
  remove: (text) => {
    const removed = tomlForm.remove(text);
    return removed.ok ? tomlServerForm.remove(removed.value) : removed;
  },
};
const configFile: SettingsFile = { name: "config.toml", form: configForm };

export const codexSettings: ClientSettings = {
  client: "codex",
  title: "Codex",
  program: "codex",
  directory: { variable: "CODEX_HOME", name: ".codex" },
  files: [hooksFile, configFile],
  choose: (texts) =>
    !texts.has(hooksFile.name) && holdsHooks(texts.get(configFile.name) ?? "") ? configFile : hooksFile,
  versionMin: [0, 125, 0],
  plan: (version, command) => planOf(codexPlan, version, command),
  needsApproval: true,
  setStatusLine: null,
  mcp: {
    files: ({ directory }) => [join(directory, configFile.name)],
    form: tomlServerForm,
    // Tools that say that they destroy nothing and stay on the machine run unasked.
    setAllowRule: null,
  },
  switchedOff: (texts) =>
    featureIsOff(texts.get(configFile.name) ?? "") ? "features.hooks is false in config.toml" : null,
};
