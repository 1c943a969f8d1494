// Qwen Code's hook payloads as our events. The events have Claude Code's names, the tools Gemini CLI's.

import type { Result } from "../../base/result.ts";
import type { HookCall, PayloadError } from "../../sessions/client.ts";
import type { ClientAction, ClientEvent } from "../../sessions/client-event.ts";
import { countField, type Fields, idField, objectField, textField } from "../payload.ts";
import {
  CLAUDE_FIELDS,
  type EventForm,
  filesEdited,
  promptAction,
  readEvent,
  shellStarted,
  startSource,
} from "../read-event.ts";

/** Payloads as documented at https://qwenlm.github.io/qwen-code-docs/en/users/features/hooks/ and seen from 0.24.4. */
export function toEvent(call: HookCall): Result<ClientEvent | null, PayloadError> {
  return readEvent(call, form);
}

const form: EventForm = {
  client: "qwen",
  fields: CLAUDE_FIELDS,
  /** What hooks say before a tool and at a subagent's start is dropped. */
  contextEvents: new Set(["SessionStart", "UserPromptSubmit", "PostToolUse"]),
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
      // It comes again, with an empty prompt, after each batch of results.
      return promptAction(textField(fields, "prompt") ?? "", inSubagent);
    case "PreToolUse":
      return shellStarted(isShell(fields) ? idField(fields, "tool_use_id") : null);
    case "PostToolUse":
      return afterTool(fields, { failed: false });
    case "PostToolUseFailure":
      return afterTool(fields, { failed: true });
    case "PermissionRequest":
      return { kind: "waiting", reason: reasonFor(textField(fields, "tool_name")) };
    case "Notification":
      return notified(textField(fields, "notification_type"));
    case "Stop":
    case "StopFailure":
      return turnEnded(fields, inSubagent);
    case "SubagentStart":
      return { kind: "subagent-started", agentType: textField(fields, "agent_type") };
    case "SubagentStop":
      return { kind: "subagent-ended" };
    case "SessionEnd":
      return { kind: "session-ended", reason: textField(fields, "reason") };
    default:
      return null;
  }
}

function isShell(fields: Fields): boolean {
  return textField(fields, "tool_name") === "run_shell_command";
}

function afterTool(fields: Fields, { failed }: { readonly failed: boolean }): ClientAction {
  const input = objectField(fields, "tool_input");
  if (isShell(fields)) {
    // In the background it has only begun.
    if (!failed && input.is_background === true) return { kind: "seen" };
    return { kind: "shell-ended", call: idField(fields, "tool_use_id"), failed };
  }
  if (failed || !EDITS.has(textField(fields, "tool_name") ?? "")) return { kind: "seen" };
  const path = textField(input, "file_path", "notebook_path");
  return filesEdited(path === null ? [] : [path]);
}

const EDITS = new Set(["write_file", "edit", "notebook_edit"]);

/** Some tools are the question themselves. */
function reasonFor(tool: string | null): string {
  if (tool === "ask_user_question") return "a question";
  return tool === "exit_plan_mode" ? "a plan" : `permission: ${tool ?? "a tool"}`;
}

function notified(kind: string | null): ClientAction {
  switch (kind) {
    case "permission_prompt":
      return { kind: "waiting", reason: "permission" };
    case "idle_prompt":
      return { kind: "waiting", reason: "idle" };
    case "elicitation_dialog":
      return { kind: "waiting", reason: "a question" };
    default:
      return { kind: "seen" };
  }
}

function turnEnded(fields: Fields, inSubagent: boolean): ClientAction {
  if (inSubagent) return { kind: "subagent-ended" };
  // A turn that an error ended tells nothing of them.
  const told = "background_tasks" in fields || "crons" in fields;
  return {
    kind: "turn-ended",
    background: told ? countField(fields, "background_tasks") + countField(fields, "crons") : null,
  };
}
