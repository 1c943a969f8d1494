// Gemini CLI's hook payloads as our events. It has no events of subagents: what they do comes as the session's own.

import { fnv64 } from "../../base/fnv.ts";
import { ok, type Result } from "../../base/result.ts";
import type { HookCall, PayloadError } from "../../sessions/client.ts";
import type { ClientAction, ClientEvent, StartSource } from "../../sessions/client-event.ts";
import { directoryOf, type Fields, fieldsOf, idField, objectField, payloadError, textField } from "../payload.ts";

/** Payloads as documented at https://geminicli.com/docs/hooks/reference and seen from 0.61.0. */
export function toEvent(call: HookCall): Result<ClientEvent | null, PayloadError> {
  const fields = fieldsOf(call.payload);
  if (fields === null) return payloadError("expected an object");
  const native = textField(fields, "hook_event_name");
  if (native === null) return payloadError("hook_event_name: expected a text");
  const session = idField(fields, "session_id");
  if (session === null) return payloadError("session_id: expected a text of at most 200 characters");
  const action = actionOf(native, fields);
  if (action === null) return ok(null);
  return ok({
    client: "gemini",
    session,
    agent: null,
    cwd: directoryOf(fields, call, "cwd"),
    action,
    native,
    takesContext: CONTEXT_EVENTS.has(native),
    transcript: textField(fields, "transcript_path"),
    agentPid: null,
    sharedProcess: false,
  });
}

const CONTEXT_EVENTS = new Set(["SessionStart", "BeforeAgent", "AfterTool"]);

function actionOf(native: string, fields: Fields): ClientAction | null {
  switch (native) {
    case "SessionStart":
      return { kind: "session-started", source: sourceOf(textField(fields, "source")) };
    case "BeforeAgent": {
      const text = withoutContext(textField(fields, "prompt") ?? "");
      return { kind: "prompt", text, byPerson: text.trim() !== "" };
    }
    case "BeforeTool":
      return isShell(fields) ? { kind: "shell-started", call: callOf(fields) } : { kind: "seen" };
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

function sourceOf(text: string | null): StartSource {
  switch (text) {
    case "startup":
    case "resume":
    case "clear":
      return text;
    default:
      return "other";
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
  return path === null ? { kind: "seen" } : { kind: "files-edited", paths: [path] };
}

const EDITS = new Set(["write_file", "replace"]);

/** Some tools are the question themselves. */
function reasonFor(kind: string | null): string {
  if (kind === "ask_user") return "a question";
  return kind === "exit_plan_mode" ? "a plan" : `permission: ${kind ?? "a tool"}`;
}
