// Claude Code as the hook sees it.

import type { HookClient } from "../../sessions/client.ts";
import { ownHooksFiles } from "../copilot/places.ts";
import { toEvent } from "./event.ts";
import { toOutput } from "./output.ts";

export const claudeCode: HookClient = {
  name: "claude-code",
  toEvent,
  toOutput,
  toldThrough: (event, call) => (event.client === "copilot" ? ownHooksFiles(call) : []),
};
