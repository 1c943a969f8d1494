// The agents that `skein install` knows.

import { claudeCodeSettings } from "./claude-code/settings.ts";
import { codexSettings } from "./codex/settings.ts";
import { copilotSettings } from "./copilot/settings.ts";
import { cursorSettings } from "./cursor/settings.ts";
import { geminiSettings } from "./gemini/settings.ts";
import type { HookedClient } from "./launcher-command.ts";
import { opencodeSettings } from "./opencode/settings.ts";
import { piSettings } from "./pi/settings.ts";
import { qwenSettings } from "./qwen/settings.ts";
import type { ClientSettings } from "./settings.ts";

export const CLIENT_SETTINGS: Readonly<Record<HookedClient, ClientSettings>> = {
  "claude-code": claudeCodeSettings,
  codex: codexSettings,
  gemini: geminiSettings,
  qwen: qwenSettings,
  copilot: copilotSettings,
  opencode: opencodeSettings,
  pi: piSettings,
  cursor: cursorSettings,
};
