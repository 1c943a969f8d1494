// Claude Code's settings: where they are and which hooks go into them.

import { dirname, join } from "node:path";
import { planOf } from "../event-table.ts";
import { claudeForm, setStrictAllowRule, setStrictStatusLine, typedServerForm } from "../hooks-file/json-form.ts";
import type { ClientSettings, McpPlace, SettingsFile } from "../settings.ts";

/** Versions as in https://github.com/anthropics/claude-code/blob/main/CHANGELOG.md */
export const claudeCodePlan = {
  events: [
    { event: "SessionStart", since: [1, 0, 62], matcher: null },
    { event: "UserPromptSubmit", since: [1, 0, 54], matcher: null },
    { event: "PreToolUse", since: [1, 0, 38], matcher: "Bash", shell: true },
    { event: "PostToolUse", since: [1, 0, 38], matcher: "Edit|MultiEdit|Write|NotebookEdit" },
    { event: "PostToolUse", since: [1, 0, 38], matcher: "Bash", shell: true },
    // The changelog does not say when it came; from 2.1.101 on an unknown name is passed over instead of spoiling the file.
    { event: "PostToolUseFailure", since: [2, 1, 101], matcher: "Bash", shell: true },
    { event: "PermissionRequest", since: [2, 0, 45], matcher: null },
    { event: "Notification", since: [1, 0, 38], matcher: null },
    { event: "PreCompact", since: [1, 0, 48], matcher: null },
    { event: "SubagentStart", since: [2, 0, 43], matcher: null },
    { event: "SubagentStop", since: [1, 0, 41], matcher: null },
    { event: "CwdChanged", since: [2, 1, 83], matcher: null },
    { event: "Stop", since: [1, 0, 38], matcher: null },
    { event: "StopFailure", since: [2, 1, 78], matcher: null },
    { event: "SessionEnd", since: [1, 0, 85], matcher: null },
  ],
  unknownAs: [1, 0, 85],
  timeoutS: 5,
} as const;

const settingsFile: SettingsFile = { name: "settings.json", form: claudeForm };

export const claudeCodeSettings: ClientSettings = {
  client: "claude-code",
  title: "Claude Code",
  program: "claude",
  directory: { variable: "CLAUDE_CONFIG_DIR", name: ".claude" },
  files: [settingsFile],
  choose: () => settingsFile,
  versionMin: [1, 0, 38],
  plan: (version, command) => planOf(claudeCodePlan, version, command),
  needsApproval: false,
  setStatusLine: setStrictStatusLine,
  mcp: {
    files: (place) => [mcpFile(place)],
    form: typedServerForm,
    // By default it asks before each tool of a server.
    setAllowRule: setStrictAllowRule,
  },
  switchedOff: (texts) => (hasAllDisabled(texts.get(settingsFile.name)) ? "disableAllHooks is set" : null),
};

/** https://code.claude.com/docs/en/mcp: its own file beside the directory, or in it where a variable moves that; a project's at its top. */
function mcpFile({ scope, directory, moved }: McpPlace): string {
  if (scope === "project") return join(dirname(directory), ".mcp.json");
  return join(moved ? directory : dirname(directory), ".claude.json");
}

function hasAllDisabled(text: string | undefined): boolean {
  try {
    const settings: unknown = JSON.parse((text ?? "{}").replace(/^\ufeff/, ""));
    return (
      typeof settings === "object" &&
      settings !== null &&
      "disableAllHooks" in settings &&
      settings.disableAllHooks === true
    );
  } catch {
    return false;
  }
}
