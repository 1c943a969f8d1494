// Copilot CLI. It reads Claude Code's settings as its own, which are there in the same home.

import type { OtherClient } from "./other-client.ts";

const form = ["--trust-folder", "--no-color", "--output-format", "json"];

export const copilot: OtherClient = {
  client: "copilot",
  folder: "copilot",
  // What else is in its folder it writes itself.
  files: () => ({ ".copilot/hooks/mine.json": '{"version":1,"hooks":{}}' }),
  env: (port) => ({
    COPILOT_OFFLINE: "true",
    COPILOT_AUTO_UPDATE: "false",
    COPILOT_MODEL: "fake-model",
    COPILOT_PROVIDER_TYPE: "openai",
    COPILOT_PROVIDER_BASE_URL: `http://127.0.0.1:${port}/v1`,
    COPILOT_PROVIDER_API_KEY: "not-a-real-key",
  }),
  start: (place, prompt) => place.start("copilot", "--allow-all", ...form, "-p", prompt),
  startPlain: (place, prompt) => place.start("copilot", ...form, "-p", prompt),
  serverTool: (tool) => `skein-${tool}`,
  approval: (repository) => ({
    ".copilot/permissions-config.json": JSON.stringify({
      locations: { [repository]: { tool_approvals: [{ kind: "mcp", serverName: "skein", toolName: null }] } },
    }),
  }),
  ownTool: '"name":"create"',
  write: (path, file_text) => ({ name: "create", args: { path, file_text } }),
  edit: (path, old_str, new_str) => [{ name: "edit", args: { path, old_str, new_str } }],
  tellsEnd: true,
};
