// Codex's hook payloads as our events. They have Claude Code's names and nesting; edits come as whole patches.

import { ok, type Result } from "../../base/result.ts";
import type { HookCall, PayloadError } from "../../sessions/client.ts";
import type { ClientAction, ClientEvent, StartSource } from "../../sessions/client-event.ts";
import { directoryOf, type Fields, fieldsOf, idField, objectField, payloadError, textField } from "../payload.ts";
import { patchedPaths } from "./patch.ts";

/** Payloads as documented at https://developers.openai.com/codex/hooks and seen from 0.171.0. */
export function toEvent(call: HookCall): Result<ClientEvent | null, PayloadError> {
  const fields = fieldsOf(call.payload);
  if (fields === null) return payloadError("expected an object");
  const native = textField(fields, "hook_event_name");
  if (native === null) return payloadError("hook_event_name: expected a text");
  const session = idField(fields, "session_id");
  if (session === null) return payloadError("session_id: expected a text of at most 200 characters");
  const agent = idField(fields, "agent_id");
  const action = actionOf(native, fields, agent !== null);
  if (action === null) return ok(null);
  return ok({
    client: "codex",
    session,
    agent,
    cwd: directoryOf(fields, call, "cwd"),
    action,
    native,
    takesContext: CONTEXT_EVENTS.has(native),
    transcript: textField(fields, "transcript_path"),
    agentPid: null,
    sharedProcess: false,
  });
}

const CONTEXT_EVENTS = new Set(["SessionStart", "SubagentStart", "UserPromptSubmit", "PreToolUse", "PostToolUse"]);

function actionOf(native: string, fields: Fields, inSubagent: boolean): ClientAction | null {
  switch (native) {
    case "SessionStart":
      return { kind: "session-started", source: sourceOf(textField(fields, "source")) };
    case "UserPromptSubmit": {
      const text = textField(fields, "prompt") ?? "";
      // A subagent's task comes as its prompt.
      return { kind: "prompt", text, byPerson: !inSubagent && text.trim() !== "" };
    }
    case "PreToolUse": {
      const call = idField(fields, "tool_use_id");
      return toolName(fields) === "Bash" && call !== null ? { kind: "shell-started", call } : { kind: "seen" };
    }
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
  const paths = patchedPaths(textField(objectField(fields, "tool_input"), "command", "input") ?? "");
  return paths.length === 0 ? { kind: "seen" } : { kind: "files-edited", paths };
}

function patchFailed(fields: Fields): boolean {
  const code = /^Exit code: (\d+)/.exec(textField(fields, "tool_response") ?? "")?.[1];
  return code !== undefined && code !== "0";
}

function sourceOf(text: string | null): StartSource {
  switch (text) {
    case "startup":
    case "resume":
    case "clear":
    case "compact":
      return text;
    default:
      return "other";
  }
}
