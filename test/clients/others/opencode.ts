// opencode, with a provider of its person's own. What it would fetch is switched off, but for the newest package of its plugins.

import type { OtherClient } from "./other-client.ts";

const models = { "fake-model": { name: "Fake", tool_call: true, limit: { context: 100_000, output: 8_000 } } };

export const opencode: OtherClient = {
  client: "opencode",
  folder: "opencode",
  files: (port) => ({
    ".config/opencode/opencode.json": JSON.stringify({
      $schema: "https://opencode.ai/config.json",
      autoupdate: false,
      share: "disabled",
      model: "fake/fake-model",
      small_model: "fake/fake-model",
      provider: {
        fake: {
          npm: "@ai-sdk/anthropic",
          name: "Fake",
          options: { baseURL: `http://127.0.0.1:${port}/v1`, apiKey: "fake" },
          models,
        },
      },
      permission: { edit: "allow", bash: "ask", webfetch: "deny" },
    }),
    // Else it waits a minute for npm wherever there is a plugin.
    ".npmrc": "fetch-retries=0\n",
  }),
  env: () => ({
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
    OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
  }),
  start: (place, prompt) => place.start("opencode", "run", "--format", "json", prompt),
  startPlain: (place, prompt) => place.start("opencode", "run", "--format", "json", prompt),
  serverTool: (tool) => `skein_${tool}`,
  ownTool: '"oldString"',
  write: (filePath, content) => ({ name: "write", args: { filePath, content } }),
  edit: (filePath, oldString, newString) => [
    { name: "read", args: { filePath } },
    { name: "edit", args: { filePath, oldString, newString } },
  ],
  tellsEnd: false,
  asksOutside: /^(?:https?:\/\/)?registry\./,
};
