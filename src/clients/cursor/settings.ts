// Cursor's settings: hooks.json, whose handlers stand flat in their events' lists.

import { planOf } from "../event-table.ts";
import { jsonFormOf } from "../hooks-file/json-form.ts";
import type { ClientSettings, SettingsFile } from "../settings.ts";

/** Hooks began with 1.7; with which version each event came is not documented, so that all are written. */
const plan = {
  events: [
    { event: "sessionStart", since: [1, 7, 0], matcher: null },
    { event: "beforeSubmitPrompt", since: [1, 7, 0], matcher: null },
    { event: "preToolUse", since: [1, 7, 0], matcher: "Shell", shell: true },
    { event: "postToolUse", since: [1, 7, 0], matcher: "Write" },
    { event: "postToolUse", since: [1, 7, 0], matcher: "Shell", shell: true },
    { event: "postToolUseFailure", since: [1, 7, 0], matcher: "Shell", shell: true },
    { event: "afterFileEdit", since: [1, 7, 0], matcher: null },
    { event: "subagentStart", since: [1, 7, 0], matcher: null },
    { event: "subagentStop", since: [1, 7, 0], matcher: null },
    { event: "preCompact", since: [1, 7, 0], matcher: null },
    { event: "stop", since: [1, 7, 0], matcher: null },
    { event: "sessionEnd", since: [1, 7, 0], matcher: null },
  ],
  unknownAs: [1, 7, 0],
  timeoutS: 5,
} as const;

const hooksFile: SettingsFile = {
  name: "hooks.json",
  form: jsonFormOf({ comments: false, flat: true }, '{\n  "version": 1\n}\n'),
};

export const cursorSettings: ClientSettings = {
  client: "cursor",
  title: "Cursor",
  program: "cursor",
  directory: { variable: null, name: ".cursor" },
  files: [hooksFile],
  choose: () => hooksFile,
  versionMin: [1, 7, 0],
  plan: (version, command) => planOf(plan, version, command),
  needsApproval: false,
  setStatusLine: null,
  mcp: null,
  switchedOff: () => null,
  remarks: ["this was written from Cursor's documents and has not been tried: tell what you see"],
};
