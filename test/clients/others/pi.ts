// pi, from both of its npm homes.

import type { OtherClient } from "./other-client.ts";

export const pi: OtherClient = {
  client: "pi",
  folder: "pi",
  files: (port) => ({
    ".pi/agent/models.json": JSON.stringify({
      providers: {
        fake: {
          baseUrl: `http://127.0.0.1:${port}`,
          api: "anthropic-messages",
          apiKey: "fake",
          models: [{ id: "fake-model", name: "Fake", input: ["text"], contextWindow: 100_000, maxTokens: 8_000 }],
        },
      },
    }),
    ".pi/agent/settings.json": JSON.stringify({
      defaultProvider: "fake",
      defaultModel: "fake-model",
      quietStartup: true,
      enableInstallTelemetry: false,
    }),
  }),
  env: () => ({ PI_OFFLINE: "1", PI_SKIP_VERSION_CHECK: "1", PI_TELEMETRY: "0" }),
  start: (place, prompt) => place.start("pi", "-p", "--mode", "json", prompt),
  startPlain: (place, prompt) => place.start("pi", "-p", "--mode", "json", prompt),
  serverTool: null,
  ownTool: '"oldText"',
  write: (path, content) => ({ name: "write", args: { path, content } }),
  edit: (path, oldText, newText) => [{ name: "edit", args: { path, edits: [{ oldText, newText }] } }],
  tellsEnd: true,
};

export const piNew: OtherClient = { ...pi, folder: "pi-new" };
