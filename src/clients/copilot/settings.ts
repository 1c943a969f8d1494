// Copilot CLI's hooks: a file of our own in the folder that it reads them from.

import { join } from "node:path";
import { planOf } from "../event-table.ts";
import { jsonFormOf } from "../hooks-file/json-form.ts";
import { jsonServerForm } from "../hooks-file/server-entry.ts";
import type { ClientSettings, SettingsFile } from "../settings.ts";
import { OWN_HOOKS } from "./places.ts";

/**
 * 1.0.6 is the first that takes Claude Code's names, under which payloads tell their event:
 * https://github.com/github/copilot-cli/blob/main/changelog.md. Never PreToolUse: where such a hook fails, the tool is forbidden.
 */
const plan = {
  events: [
    { event: "SessionStart", since: [1, 0, 6], matcher: null },
    { event: "UserPromptSubmit", since: [1, 0, 6], matcher: null },
    { event: "PostToolUse", since: [1, 0, 6], matcher: null },
    { event: "PostToolUseFailure", since: [1, 0, 6], matcher: null },
    { event: "Notification", since: [1, 0, 6], matcher: null },
    { event: "SubagentStart", since: [1, 0, 6], matcher: null },
    { event: "SubagentStop", since: [1, 0, 6], matcher: null },
    { event: "Stop", since: [1, 0, 6], matcher: null },
    { event: "SessionEnd", since: [1, 0, 6], matcher: null },
  ],
  unknownAs: [1, 0, 6],
  timeoutS: 5,
} as const;

const hooksFile: SettingsFile = {
  name: OWN_HOOKS,
  form: jsonFormOf({ comments: false }, '{\n  "version": 1\n}\n'),
};

/** https://docs.github.com/en/copilot/how-tos/copilot-cli/customize-copilot/add-mcp-servers: which tools the model may see has to be said. */
const serverForm = jsonServerForm((server) => ({ type: "local", ...server, tools: ["*"] }), { comments: false });

export const copilotSettings: ClientSettings = {
  client: "copilot",
  title: "Copilot CLI",
  program: "copilot",
  directory: { variable: "COPILOT_HOME", name: ".copilot", projectName: ".github" },
  files: [hooksFile],
  choose: () => hooksFile,
  versionMin: [1, 0, 6],
  plan: (version, command) => planOf(plan, version, command),
  needsApproval: false,
  setStatusLine: null,
  mcp: {
    files: ({ scope, directory }) => [join(directory, scope === "user" ? "mcp-config.json" : "mcp.json")],
    form: serverForm,
    setAllowRule: null,
  },
  switchedOff: () => null,
  // Its answers are kept by location; no setting holds for all of them: https://github.com/github/copilot-cli/issues/179
  remarks: [
    "Copilot CLI asks before the MCP server's tools write: approve them once in each repository, or start it with --allow-tool=skein",
  ],
};
