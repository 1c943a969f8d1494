// Copilot CLI's hook payloads as our events. It names events, fields and tools in its own way, and in Claude Code's for hooks that are written
// with those names: ours in its folder, and the ones in Claude Code's own settings, which it reads too.

import { ok, type Result } from "../../base/result.ts";
import type { HookCall, PayloadError } from "../../sessions/client.ts";
import type { ClientAction, ClientEvent } from "../../sessions/client-event.ts";
import { patchedPaths } from "../codex/patch.ts";
import { directoryOf, type Fields, fieldsOf, idField, payloadError, textField } from "../payload.ts";
import { filesEdited, promptAction, startSource } from "../read-event.ts";
import { transcriptOf } from "./places.ts";

/** Payloads as documented at https://docs.github.com/en/copilot/reference/hooks-reference and seen from 1.0.102, in both styles. */
export function toEvent(call: HookCall): Result<ClientEvent | null, PayloadError> {
  const fields = fieldsOf(call.payload);
  if (fields === null) return payloadError("expected an object");
  const native = nativeName(fields);
  if (native === null) return payloadError("hook_event_name: expected a text, or fields that tell the event");
  const ids = idsOf(fields);
  if (ids === null) return payloadError("session_id: expected a text of at most 200 characters");
  const action = actionOf(native, fields, ids.agent !== null);
  if (action === null) return ok(null);
  return ok({
    client: "copilot",
    ...ids,
    cwd: directoryOf(fields, call, "cwd"),
    action,
    native,
    takesContext: CONTEXT_EVENTS.has(native),
    transcript: textField(fields, "transcript_path", "transcriptPath") ?? transcriptOf(ids.session, call),
    agentPid: null,
    sharedProcess: false,
  });
}

const CONTEXT_EVENTS = new Set(["SessionStart", "SubagentStart", "PostToolUse"]);

/** Claude Code's name of the event. In its own style Copilot names none: then the fields tell it. */
function nativeName(fields: Fields): string | null {
  const name = textField(fields, "hook_event_name", "hookName");
  if (name !== null) return OWN_NAMES[name] ?? name.slice(0, 1).toUpperCase() + name.slice(1);
  const has = (...names: readonly string[]): boolean => names.some((one) => Object.hasOwn(fields, one));
  if (has("toolName", "tool_name")) {
    if (has("toolResult", "tool_result")) return "PostToolUse";
    return has("error") ? "PostToolUseFailure" : "PreToolUse";
  }
  if (has("prompt")) return "UserPromptSubmit";
  if (has("source")) return "SessionStart";
  if (has("stopReason", "stop_reason")) return has("agentName", "agent_name") ? "SubagentStop" : "Stop";
  if (has("agentName", "agent_name")) return "SubagentStart";
  return has("reason") ? "SessionEnd" : null;
}

const OWN_NAMES: Readonly<Record<string, string>> = { userPromptSubmitted: "UserPromptSubmit", agentStop: "Stop" };

/** A subagent's own events have its id as the session's. */
function idsOf(fields: Fields): { readonly session: string; readonly agent: string | null } | null {
  const agent = idField(fields, "agent_id", "agentId");
  const session = idField(fields, "parent_agent_id", "parentAgentId") ?? idField(fields, "session_id", "sessionId");
  return session === null ? null : { session, agent: agent === session ? null : agent };
}

function actionOf(native: string, fields: Fields, inSubagent: boolean): ClientAction | null {
  switch (native) {
    case "SessionStart": {
      const source = textField(fields, "source");
      const known = ["startup", "resume", "clear", "compact"] as const;
      return { kind: "session-started", source: startSource(source === "new" ? "startup" : source, known) };
    }
    case "UserPromptSubmit":
      return promptAction(textField(fields, "prompt") ?? "", inSubagent);
    case "PreToolUse":
      return { kind: "seen" };
    case "PostToolUse":
      return afterTool(fields, { failed: false });
    case "PostToolUseFailure":
      return afterTool(fields, { failed: true });
    case "PermissionRequest":
      // It comes for every tool, also where everything is allowed and nobody is asked: the notice says that a person is.
      return { kind: "seen" };
    case "Notification":
      return notified(textField(fields, "notification_type", "notificationType"));
    case "Stop":
      // It does not tell of subagents that go on: they have records of their own.
      return inSubagent ? { kind: "subagent-ended" } : { kind: "turn-ended", background: null };
    case "SubagentStart":
      return { kind: "subagent-started", agentType: textField(fields, "agent_type", "agentType") };
    case "SubagentStop":
      return { kind: "subagent-ended" };
    case "SessionEnd":
      return { kind: "session-ended", reason: textField(fields, "reason") };
    default:
      return null;
  }
}

function toolName(fields: Fields): string | null {
  return textField(fields, "tool_name", "toolName");
}

function notified(kind: string | null): ClientAction {
  switch (kind) {
    case "permission_prompt":
      return { kind: "waiting", reason: "permission" };
    case "elicitation_dialog":
      return { kind: "waiting", reason: "a question" };
    default:
      return { kind: "seen" };
  }
}

function afterTool(fields: Fields, { failed }: { readonly failed: boolean }): ClientAction {
  const name = toolName(fields) ?? "";
  // No hook of ours comes before it: one that fails would forbid the tool.
  if (SHELLS.has(name)) return { kind: "shell-ended", call: null, failed };
  if (failed || !succeeded(fields) || !EDITS.has(name)) return { kind: "seen" };
  return filesEdited(editedPaths(fields.tool_input ?? fields.toolArgs));
}

const SHELLS = new Set(["bash", "powershell", "Bash"]);
const EDITS = new Set(["create", "edit", "str_replace", "insert", "apply_patch", "Write", "Edit", "MultiEdit"]);

function succeeded(fields: Fields): boolean {
  const result = fieldsOf(fields.tool_result ?? fields.toolResult);
  const type = result === null ? null : textField(result, "result_type", "resultType");
  return type === null || type === "success";
}

/** Arguments come as an object, or as a text: of JSON, or a patch. */
function editedPaths(args: unknown): readonly string[] {
  if (typeof args === "string") {
    const parsed = parsedObject(args);
    return parsed === null ? patchedPaths(args) : editedPaths(parsed);
  }
  const fields = fieldsOf(args) ?? {};
  const path = textField(fields, "path", "file_path");
  return path === null ? patchedPaths(textField(fields, "patch", "input", "command") ?? "") : [path];
}

function parsedObject(text: string): Fields | null {
  try {
    return fieldsOf(JSON.parse(text));
  } catch {
    return null;
  }
}
