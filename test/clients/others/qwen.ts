// Qwen Code.

import type { OtherClient } from "./other-client.ts";

const form = ["--auth-type", "openai", "-o", "stream-json"];

export const qwen: OtherClient = {
  client: "qwen",
  folder: "qwen",
  files: () => ({
    ".qwen/settings.json": JSON.stringify(
      {
        security: { auth: { selectedType: "openai" }, folderTrust: { enabled: false } },
        model: { name: "fake-model" },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
        general: { enableAutoUpdate: false },
        hooks: { Stop: [{ hooks: [{ type: "command", command: "true" }] }] },
        // Else it writes the file anew, as of this version.
        $version: 4,
      },
      null,
      2,
    ),
  }),
  env: (port) => ({
    OPENAI_API_KEY: "fake",
    OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`,
    OPENAI_MODEL: "fake-model",
    QWEN_CODE_SUPPRESS_YOLO_WARNING: "1",
  }),
  start: (place, prompt) => place.start("qwen", "--approval-mode", "yolo", ...form, prompt),
  startPlain: (place, prompt) => place.start("qwen", ...form, prompt),
  serverTool: (tool) => `mcp__skein__${tool}`,
  ownTool: '"run_shell_command"',
  write: (file_path, content) => ({ name: "write_file", args: { file_path, content } }),
  edit: (file_path, old_string, new_string) => [
    { name: "read_file", args: { file_path } },
    { name: "edit", args: { file_path, old_string, new_string } },
  ],
  tellsEnd: false,
};
