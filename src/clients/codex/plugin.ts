// Codex's plugin: https://developers.openai.com/codex/plugins/build

import type { PluginParts } from "../plugin-folder.ts";
import { codexPlan } from "./settings.ts";

export const codexPlugin: PluginParts = {
  client: "codex",
  manifestPath: ".codex-plugin/plugin.json",
  rootVariable: "PLUGIN_ROOT",
  plan: codexPlan,
  settings: [
    '"${CODEX_HOME:-$HOME/.codex}/hooks.json"',
    '"${CODEX_HOME:-$HOME/.codex}/config.toml"',
    ".codex/hooks.json",
    ".codex/config.toml",
  ],
};
