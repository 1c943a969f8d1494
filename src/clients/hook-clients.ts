// The agents whose hooks we answer.

import type { HookClient } from "../sessions/client.ts";
import { claudeCode } from "./claude-code/client.ts";
import { codex } from "./codex/client.ts";
import { copilot } from "./copilot/client.ts";
import { cursor } from "./cursor/client.ts";
import { gemini } from "./gemini/client.ts";
import { opencode } from "./opencode/client.ts";
import { pi } from "./pi/client.ts";
import { qwen } from "./qwen/client.ts";

export const HOOK_CLIENTS: readonly HookClient[] = [claudeCode, codex, gemini, qwen, copilot, opencode, pi, cursor];
