// Claude Code's plugin: https://code.claude.com/docs/en/plugins-reference

import type { PluginParts } from "../plugin-folder.ts";
import { claudeCodePlan } from "./settings.ts";

export const claudeCodePlugin: PluginParts = {
  client: "claude-code",
  manifestPath: ".claude-plugin/plugin.json",
  rootVariable: "CLAUDE_PLUGIN_ROOT",
  plan: claudeCodePlan,
  settings: ['"${CLAUDE_CONFIG_DIR:-$HOME/.claude}/settings.json"', '"${CLAUDE_PROJECT_DIR:-.}/.claude/settings.json"'],
};
