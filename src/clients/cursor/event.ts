// Cursor's own hook payloads as our events. Written from its documents and not tried: what it sends through Claude Code's settings, which it
// also reads, is in `claude-code/event.ts`, under the same session's id.

import { isAbsolute } from "node:path";
import { ok, type Result } from "../../base/result.ts";
import type { HookCall, PayloadError } from "../../sessions/client.ts";
import type { ClientAction, ClientEvent } from "../../sessions/client-event.ts";
import { directoryOf, type Fields, fieldsOf, idField, objectField, payloadError, textField } from "../payload.ts";

const filesMax = 1_000;

/** Payloads as documented at https://cursor.com/docs/hooks */
export function toEvent(call: HookCall): Result<ClientEvent | null, PayloadError> {
  const fields = fieldsOf(call.payload);
  if (fields === null) return payloadError("expected an object");
  const native = textField(fields, "hook_event_name");
  if (native === null) return payloadError("hook_event_name: expected a text");
  const session = idField(fields, "session_id", "conversation_id");
  if (session === null) return payloadError("conversation_id: expected a text of at most 200 characters");
  const action = actionOf(native, fields);
  if (action === null) return ok(null);
  return ok({
    client: "cursor",
    session,
    // Which of its events belong to a subagent is not documented.
    agent: null,
    cwd: workingDirectory(fields, call),
    action,
    native,
    takesContext: native === "sessionStart" || native === "postToolUse",
    transcript: textField(fields, "transcript_path"),
    agentPid: null,
    // An editor's one process holds all its conversations.
    sharedProcess: true,
  });
}

function workingDirectory(fields: Fields, call: HookCall): string {
  const roots: readonly unknown[] = Array.isArray(fields.workspace_roots) ? fields.workspace_roots : [];
  const root = roots.find((one) => typeof one === "string" && isAbsolute(one));
  return directoryOf({ cwd: textField(fields, "cwd") ?? root }, call, "cwd");
}

function actionOf(native: string, fields: Fields): ClientAction | null {
  switch (native) {
    case "sessionStart":
      return { kind: "session-started", source: "startup" };
    case "beforeSubmitPrompt": {
      const text = textField(fields, "prompt") ?? "";
      return { kind: "prompt", text, byPerson: text.trim() !== "" };
    }
    case "preToolUse": {
      const call = idField(fields, "tool_use_id");
      return isShell(fields) && call !== null ? { kind: "shell-started", call } : { kind: "seen" };
    }
    case "postToolUse":
    case "postToolUseFailure":
      return afterTool(fields, native === "postToolUseFailure");
    case "afterFileEdit": {
      const path = textField(fields, "file_path");
      return path === null ? { kind: "seen" } : { kind: "files-edited", paths: [path] };
    }
    case "subagentStart":
      return { kind: "seen" };
    case "subagentStop": {
      const all: readonly unknown[] = Array.isArray(fields.modified_files) ? fields.modified_files : [];
      const paths = all.filter((path) => typeof path === "string" && path !== "").slice(0, filesMax);
      return paths.length === 0 ? { kind: "seen" } : { kind: "files-edited", paths: paths.map(String) };
    }
    case "preCompact":
      return { kind: "compacting" };
    case "stop":
      return textField(fields, "status") === "aborted"
        ? { kind: "interrupted" }
        : { kind: "turn-ended", background: null };
    case "sessionEnd":
      return { kind: "session-ended", reason: textField(fields, "reason") };
    default:
      return null;
  }
}

function isShell(fields: Fields): boolean {
  return textField(fields, "tool_name") === "Shell";
}

function afterTool(fields: Fields, failed: boolean): ClientAction {
  if (isShell(fields)) return { kind: "shell-ended", call: idField(fields, "tool_use_id"), failed };
  const path = textField(objectField(fields, "tool_input"), "file_path", "path");
  const edits = textField(fields, "tool_name") === "Write" && path !== null && !failed;
  return edits ? { kind: "files-edited", paths: [path] } : { kind: "seen" };
}
