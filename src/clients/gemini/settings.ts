// Gemini CLI's settings: where they are and which hooks go into them.

import { join } from "node:path";
import { type ParseError, parse } from "jsonc-parser";
import { planOf } from "../event-table.ts";
import { jsonFormOf, trustedServerForm, withServer } from "../hooks-file/json-form.ts";
import { isOurCommand } from "../launcher-command.ts";
import { fieldsOf, objectField } from "../payload.ts";
import type { ClientSettings, SettingsFile } from "../settings.ts";

/** From 0.26.0 on hooks need no switch: https://geminicli.com/docs/changelogs/. PreCompress is none of ours: it comes before each request. */
const plan = {
  events: [
    { event: "SessionStart", since: [0, 26, 0], matcher: null },
    { event: "BeforeAgent", since: [0, 26, 0], matcher: null },
    { event: "BeforeTool", since: [0, 26, 0], matcher: "^run_shell_command$", shell: true },
    { event: "AfterTool", since: [0, 26, 0], matcher: "^(write_file|replace)$" },
    { event: "AfterTool", since: [0, 26, 0], matcher: "^run_shell_command$", shell: true },
    { event: "Notification", since: [0, 26, 0], matcher: null },
    { event: "AfterAgent", since: [0, 26, 0], matcher: null },
    { event: "SessionEnd", since: [0, 26, 0], matcher: null },
  ],
  unknownAs: [0, 26, 0],
  timeoutS: 5,
} as const;

const dialect = { comments: true, trailingCommas: false, timeoutUnit: "ms" } as const;
/** `trust`: its tools run unasked, where the folder is trusted. https://geminicli.com/docs/tools/mcp-server/ */
const serverForm = trustedServerForm(dialect);
const settingsFile: SettingsFile = { name: "settings.json", form: withServer(jsonFormOf(dialect), serverForm) };

export const geminiSettings: ClientSettings = {
  client: "gemini",
  title: "Gemini CLI",
  program: "gemini",
  directory: { variable: "GEMINI_CLI_HOME", below: ".gemini", name: ".gemini" },
  files: [settingsFile],
  choose: () => settingsFile,
  versionMin: [0, 26, 0],
  plan: (version, command) => planOf(plan, version, command),
  needsApproval: false,
  setStatusLine: null,
  mcp: {
    files: ({ directory }) => [join(directory, settingsFile.name)],
    form: serverForm,
    setAllowRule: null,
  },
  switchedOff: (texts) => offBy(texts.get(settingsFile.name) ?? "{}"),
};

function offBy(text: string): string | null {
  const errors: ParseError[] = [];
  const config = objectField(fieldsOf(parse(text.replace(/^\ufeff/, ""), errors)) ?? {}, "hooksConfig");
  if (config.enabled === false) return "hooksConfig.enabled is false";
  const disabled: readonly unknown[] = Array.isArray(config.disabled) ? config.disabled : [];
  return disabled.some((name) => typeof name === "string" && isOurCommand(name))
    ? "hooksConfig.disabled names ours"
    : null;
}
