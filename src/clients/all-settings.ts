// The agents that `skein install` knows.

import { claudeCodeSettings } from "./claude-code/settings.ts";
import { codexSettings } from "./codex/settings.ts";
import type { HookedClient } from "./launcher-command.ts";
import type { ClientSettings } from "./settings.ts";

export const CLIENT_SETTINGS: Readonly<Record<HookedClient, ClientSettings>> = {
  "claude-code": claudeCodeSettings,
  codex: codexSettings,
};
