// Qwen Code's settings: where they are and which hooks go into them.

import { join } from "node:path";
import { type ParseError, parse } from "jsonc-parser";
import { planOf } from "../event-table.ts";
import { jsonFormOf, trustedServerForm, withServer } from "../hooks-file/json-form.ts";
import { fieldsOf } from "../payload.ts";
import type { ClientSettings, SettingsFile } from "../settings.ts";

/** Seen at work in 0.21.5 (https://github.com/QwenLM/qwen-code/issues/8622) and 0.24.4. */
const plan = {
  events: [
    { event: "SessionStart", since: [0, 21, 5], matcher: null },
    { event: "UserPromptSubmit", since: [0, 21, 5], matcher: null },
    { event: "PreToolUse", since: [0, 21, 5], matcher: "^run_shell_command$", shell: true },
    { event: "PostToolUse", since: [0, 21, 5], matcher: "^(write_file|edit|notebook_edit)$" },
    { event: "PostToolUse", since: [0, 21, 5], matcher: "^run_shell_command$", shell: true },
    { event: "PostToolUseFailure", since: [0, 21, 5], matcher: "^run_shell_command$", shell: true },
    { event: "PermissionRequest", since: [0, 21, 5], matcher: null },
    { event: "Notification", since: [0, 21, 5], matcher: null },
    { event: "SubagentStart", since: [0, 21, 5], matcher: null },
    { event: "SubagentStop", since: [0, 21, 5], matcher: null },
    { event: "Stop", since: [0, 21, 5], matcher: null },
    { event: "StopFailure", since: [0, 21, 5], matcher: null },
    { event: "SessionEnd", since: [0, 21, 5], matcher: null },
  ],
  unknownAs: [0, 21, 5],
  timeoutS: 5,
} as const;

const dialect = { comments: true, trailingCommas: false, timeoutUnit: "ms" } as const;
/** `trust`: its tools run unasked, where the folder is trusted. https://qwenlm.github.io/qwen-code-docs/en/users/features/mcp/ */
const serverForm = trustedServerForm(dialect);
const settingsFile: SettingsFile = { name: "settings.json", form: withServer(jsonFormOf(dialect), serverForm) };

export const qwenSettings: ClientSettings = {
  client: "qwen",
  title: "Qwen Code",
  program: "qwen",
  directory: { variable: "QWEN_HOME", name: ".qwen" },
  files: [settingsFile],
  choose: () => settingsFile,
  versionMin: [0, 21, 5],
  plan: (version, command) => planOf(plan, version, command),
  needsApproval: false,
  setStatusLine: null,
  mcp: {
    files: ({ directory }) => [join(directory, settingsFile.name)],
    form: serverForm,
    setAllowRule: null,
  },
  switchedOff: (texts) => (isOff(texts.get(settingsFile.name) ?? "{}") ? "disableAllHooks is set" : null),
};

function isOff(text: string): boolean {
  const errors: ParseError[] = [];
  return fieldsOf(parse(text.replace(/^\ufeff/, ""), errors))?.disableAllHooks === true;
}
