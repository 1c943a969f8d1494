// Codex's hook payloads as our events. They have Claude Code's names and nesting; edits come as whole patches.

import type { Result } from "../../base/result.ts";
import type { HookCall, PayloadError } from "../../sessions/client.ts";
import type { ClientAction, ClientEvent } from "../../sessions/client-event.ts";
import { type Fields, idField, objectField, textField } from "../payload.ts";
import {
  CLAUDE_FIELDS,
  type EventForm,
  filesEdited,
  promptAction,
  readEvent,
  shellStarted,
  startSource,
} from "../read-event.ts";
import { patchedPaths } from "./patch.ts";

/** Payloads as documented at https://developers.openai.com/codex/hooks and seen from 0.171.0. */
export function toEvent(call: HookCall): Result<ClientEvent | null, PayloadError> {
  return readEvent(call, form);
}

const form: EventForm = {
  client: "codex",
  fields: CLAUDE_FIELDS,
  contextEvents: new Set(["SessionStart", "SubagentStart", "UserPromptSubmit", "PreToolUse", "PostToolUse"]),
  actionOf,
  sharedProcess: false,
};

function actionOf(native: string, fields: Fields, inSubagent: boolean): ClientAction | null {
  switch (native) {
    case "SessionStart":
      return {
        kind: "session-started",
        source: startSource(textField(fields, "source"), ["startup", "resume", "clear", "compact"]),
      };
    case "UserPromptSubmit":
      return promptAction(textField(fields, "prompt") ?? "", inSubagent);
    case "PreToolUse":
      return shellStarted(toolName(fields) === "Bash" ? idField(fields, "tool_use_id") : null);
    case "PostToolUse":
      return afterTool(fields);
    case "PermissionRequest":
      return { kind: "waiting", reason: `permission: ${toolName(fields) ?? "a tool"}` };
    case "Stop":
      // It does not tell of subagents that go on: they have records of their own.
      return inSubagent ? { kind: "subagent-ended" } : { kind: "turn-ended", background: null };
    case "Interrupt":
      return inSubagent ? { kind: "subagent-ended" } : { kind: "interrupted" };
    case "SubagentStart":
      return { kind: "subagent-started", agentType: textField(fields, "agent_type") };
    case "SubagentStop":
      return { kind: "subagent-ended" };
    case "SessionEnd":
      return { kind: "session-ended", reason: textField(fields, "reason") };
    case "PreCompact":
      return { kind: "compacting" };
    default:
      return null;
  }
}

function toolName(fields: Fields): string | null {
  return textField(fields, "tool_name");
}

function afterTool(fields: Fields): ClientAction {
  const name = toolName(fields);
  // A command that fails ends with the same event as one that does not.
  if (name === "Bash") return { kind: "shell-ended", call: idField(fields, "tool_use_id"), failed: false };
  if (name !== "apply_patch" || patchFailed(fields)) return { kind: "seen" };
  return filesEdited(patchedPaths(textField(objectField(fields, "tool_input"), "command", "input") ?? ""));
}

function patchFailed(fields: Fields): boolean {
  const code = /^Exit code: (\d+)/.exec(textField(fields, "tool_response") ?? "")?.[1];
  return code !== undefined && code !== "0";
}
