// Gemini CLI, with odd settings of its person's: comments, and a hook of their own.

import type { OtherClient } from "./other-client.ts";

const form = ["-m", "gemini-2.5-pro", "--output-format", "stream-json"];

export const gemini: OtherClient = {
  client: "gemini",
  folder: "gemini",
  files: () => ({
    ".gemini/settings.json": `{
  // mine
  "security": { "auth": { "selectedType": "gemini-api-key" }, "folderTrust": { "enabled": false } },
  "privacy": { "usageStatisticsEnabled": false },
  "telemetry": { "enabled": false },
  "general": { "enableAutoUpdate": false, "enableAutoUpdateNotification": false },
  "hooks": { "SessionStart": [ { "hooks": [ { "type": "command", "command": "true" } ] } ] }
}`,
  }),
  env: (port) => ({ GEMINI_API_KEY: "fake", GOOGLE_GEMINI_BASE_URL: `http://127.0.0.1:${port}` }),
  start: (place, prompt) => place.start("gemini", "--approval-mode", "yolo", ...form, "-p", prompt),
  startPlain: (place, prompt) => place.start("gemini", ...form, "-p", prompt),
  serverTool: (tool) => `mcp_skein_${tool}`,
  ownTool: '"replace"',
  write: (file_path, content) => ({ name: "write_file", args: { file_path, content } }),
  edit: (file_path, old_string, new_string) => [
    { name: "replace", args: { file_path, old_string, new_string, instruction: "change it" } },
  ],
  tellsEnd: true,
};
