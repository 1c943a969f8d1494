// Gemini CLI's hook payloads as our events. It has no events of subagents: what they do comes as the session's own.

import { fnv64 } from "../../base/fnv.ts";
import type { Result } from "../../base/result.ts";
import type { HookCall, PayloadError } from "../../sessions/client.ts";
import type { ClientAction, ClientEvent } from "../../sessions/client-event.ts";
import { type Fields, objectField, textField } from "../payload.ts";
import {
  CLAUDE_FIELDS,
  type EventForm,
  filesEdited,
  promptAction,
  readEvent,
  shellStarted,
  startSource,
} from "../read-event.ts";

/** Payloads as documented at https://geminicli.com/docs/hooks/reference and seen from 0.61.0. */
export function toEvent(call: HookCall): Result<ClientEvent | null, PayloadError> {
  return readEvent(call, form);
}

const form: EventForm = {
  client: "gemini",
  fields: { ...CLAUDE_FIELDS, agent: null },
  contextEvents: new Set(["SessionStart", "BeforeAgent", "AfterTool"]),
  actionOf,
  sharedProcess: false,
};

function actionOf(native: string, fields: Fields): ClientAction | null {
  switch (native) {
    case "SessionStart":
      return {
        kind: "session-started",
        source: startSource(textField(fields, "source"), ["startup", "resume", "clear"]),
      };
    case "BeforeAgent":
      return promptAction(withoutContext(textField(fields, "prompt") ?? ""), false);
    case "BeforeTool":
      return shellStarted(isShell(fields) ? callOf(fields) : null);
    case "AfterTool":
      return afterTool(fields);
    case "Notification":
      return textField(fields, "notification_type") === "ToolPermission"
        ? { kind: "waiting", reason: reasonFor(textField(objectField(fields, "details"), "type")) }
        : { kind: "seen" };
    case "AfterAgent":
      // It waits for its subagents itself.
      return { kind: "turn-ended", background: 0 };
    case "SessionEnd":
      return { kind: "session-ended", reason: textField(fields, "reason") };
    default:
      return null;
  }
}

/** What hooks of the start have said stands before the person's words. */
function withoutContext(prompt: string): string {
  return prompt.replace(/^(?:\s*<hook_context>[\s\S]*?<\/hook_context>)+\s*/, "");
}

function isShell(fields: Fields): boolean {
  return textField(fields, "tool_name") === "run_shell_command";
}

const callCharsMax = 4_000;

/** Calls have no id: two of one session with the same command at the same time count as one. */
function callOf(fields: Fields): string {
  return fnv64(JSON.stringify(fields.tool_input ?? null).slice(0, callCharsMax));
}

function afterTool(fields: Fields): ClientAction {
  const failed = objectField(fields, "tool_response").error !== undefined;
  if (isShell(fields)) {
    // In the background it has only begun.
    if (!failed && objectField(fields, "tool_input").is_background === true) return { kind: "seen" };
    return { kind: "shell-ended", call: callOf(fields), failed };
  }
  if (failed || !EDITS.has(textField(fields, "tool_name") ?? "")) return { kind: "seen" };
  const path = textField(objectField(fields, "tool_input"), "file_path");
  return filesEdited(path === null ? [] : [path]);
}

const EDITS = new Set(["write_file", "replace"]);

/** Some tools are the question themselves. */
function reasonFor(kind: string | null): string {
  if (kind === "ask_user") return "a question";
  return kind === "exit_plan_mode" ? "a plan" : `permission: ${kind ?? "a tool"}`;
}
