// Every client beside Claude Code and Codex.

import { copilot } from "./copilot.ts";
import { gemini } from "./gemini.ts";
import { opencode } from "./opencode.ts";
import type { OtherClient } from "./other-client.ts";
import { pi, piNew } from "./pi.ts";
import { qwen } from "./qwen.ts";

export const OTHER_CLIENTS: readonly OtherClient[] = [gemini, qwen, copilot, opencode, pi, piNew];
