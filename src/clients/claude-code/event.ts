// Claude Code's hook payloads as our events. Other agents read its settings file as their own: the one that really runs is told by what
// it sends, never by a variable that a child may have inherited alone.

import { unreachable } from "../../base/assert.ts";
import { ok, type Result } from "../../base/result.ts";
import type { HookCall, HookClient, PayloadError } from "../../sessions/client.ts";
import type { ClientAction, ClientEvent } from "../../sessions/client-event.ts";
import { toEvent as copilotEvent } from "../copilot/event.ts";
import { toEvent as geminiEvent } from "../gemini/event.ts";
import {
  countField,
  directoryOf,
  type Fields,
  fieldsOf,
  idField,
  objectField,
  payloadError,
  textField,
} from "../payload.ts";
import { toEvent as qwenEvent } from "../qwen/event.ts";
import { filesEdited, shellStarted, startSource } from "../read-event.ts";

/** Who can call a hook of Claude Code's settings with payloads like its own. */
type Caller = "claude-code" | "cursor";

/** Payloads as documented at https://code.claude.com/docs/en/hooks and seen from 2.1.332. */
export function toEvent(call: HookCall): Result<ClientEvent | null, PayloadError> {
  const fields = fieldsOf(call.payload);
  if (fields === null) return payloadError("expected an object");
  const others = othersEvent(fields, call);
  if (others !== null) return others(call);
  const name = textField(fields, "hook_event_name");
  if (name === null) return payloadError("hook_event_name: expected a text");
  const client = textField(fields, "cursor_version") === null ? "claude-code" : "cursor";
  // Cursor begins its names with a small letter.
  const native = client === "cursor" ? name.slice(0, 1).toUpperCase() + name.slice(1) : name;
  const session = idField(fields, "session_id", "conversation_id");
  const agent = idField(fields, "agent_id");
  if (session === null) return payloadError("session_id: expected a text of at most 200 characters");
  const action = actionOf(native, fields, agent !== null);
  if (action === null) return ok(null);
  return ok({
    client,
    session,
    agent,
    cwd: directoryOf(fields, call, ...(native === "CwdChanged" ? ["new_cwd", "cwd"] : ["cwd"])),
    action,
    native,
    takesContext: takesContext(client, native),
    transcript: textField(fields, "transcript_path"),
    agentPid: client === "claude-code" ? pidOf(call.env.CLAUDE_PID) : null,
    // An editor's one process holds all its conversations.
    sharedProcess: client === "cursor",
  });
}

/** Another agent that reads this settings file as its own, or whose settings were made of it; null for Claude Code and editors. */
function othersEvent(fields: Fields, { env }: HookCall): HookClient["toEvent"] | null {
  const session = textField(fields, "session_id");
  // Each tells its hooks the session, which a child of that session that inherits it does not have.
  if (session !== null && session === env.GEMINI_SESSION_ID) return geminiEvent;
  if (session !== null && session === env.QWEN_CODE_SESSION_ID) return qwenEvent;
  const transcript = textField(fields, "transcript_path", "transcriptPath");
  // Claude Code always tells its own transcript; Copilot tells one of another kind, or none.
  const isCopilots = transcript === null || /[\\/]session-state[\\/][^\\/]+[\\/]events\.jsonl$/.test(transcript);
  const isEditors = textField(fields, "cursor_version") !== null;
  return env.COPILOT_CLI !== undefined && isCopilots && !isEditors ? copilotEvent : null;
}

function actionOf(native: string, fields: Fields, inSubagent: boolean): ClientAction | null {
  switch (native) {
    case "SessionStart":
      return {
        kind: "session-started",
        source: startSource(textField(fields, "source"), ["startup", "resume", "clear", "compact", "fork"]),
      };
    case "UserPromptSubmit":
      return promptOf(textField(fields, "prompt") ?? "", inSubagent);
    case "PreToolUse":
      return beforeTool(fields);
    case "PostToolUse":
      return afterTool(fields, { failed: false });
    case "PostToolUseFailure":
      return afterTool(fields, { failed: true });
    case "PermissionRequest":
      return { kind: "waiting", reason: reasonFor(textField(fields, "tool_name")) };
    case "Notification":
      return notified(fields);
    case "Stop":
    case "StopFailure":
      return turnEnded(fields, inSubagent);
    case "SubagentStart":
      return { kind: "subagent-started", agentType: textField(fields, "agent_type") };
    case "SubagentStop":
      return { kind: "subagent-ended" };
    case "CwdChanged":
      return { kind: "moved" };
    case "SessionEnd":
      return { kind: "session-ended", reason: textField(fields, "reason") };
    case "PreCompact":
      return { kind: "compacting" };
    default:
      return null;
  }
}

/** Some tools are the question themselves. */
function reasonFor(tool: string | null): string {
  if (tool === "AskUserQuestion") return "a question";
  return tool === "ExitPlanMode" ? "a plan" : `permission: ${tool ?? "a tool"}`;
}

/** What a subagent's completion puts in comes as a prompt too. */
function promptOf(text: string, inSubagent: boolean): ClientAction {
  const byPerson = !inSubagent && text.trim() !== "" && !text.trimStart().startsWith("<task-notification>");
  return { kind: "prompt", text, byPerson };
}

type Tool = "shell" | "edit" | "other";

function toolOf(fields: Fields): Tool {
  switch (textField(fields, "tool_name")) {
    case "Bash":
      return "shell";
    case "Edit":
    case "MultiEdit":
    case "Write":
    case "NotebookEdit":
      return "edit";
    default:
      return "other";
  }
}

function beforeTool(fields: Fields): ClientAction {
  return shellStarted(toolOf(fields) === "shell" ? idField(fields, "tool_use_id") : null);
}

function afterTool(fields: Fields, { failed }: { readonly failed: boolean }): ClientAction {
  const tool = toolOf(fields);
  switch (tool) {
    case "shell":
      // It has only begun: until its session's turn ends with nothing in the background it may change files.
      if (!failed && goesOn(fields)) return { kind: "seen" };
      return { kind: "shell-ended", call: idField(fields, "tool_use_id"), failed };
    case "edit": {
      const path = textField(objectField(fields, "tool_input"), "file_path", "notebook_path", "path");
      return filesEdited(path === null || failed ? [] : [path]);
    }
    case "other":
      return { kind: "seen" };
    default:
      return unreachable(tool);
  }
}

/** Started in the background, or put there while it ran. */
function goesOn(fields: Fields): boolean {
  return (
    objectField(fields, "tool_input").run_in_background === true ||
    textField(objectField(fields, "tool_response"), "backgroundTaskId") !== null
  );
}

/** Older versions do not tell the kind, so that the text has to. */
function notified(fields: Fields): ClientAction {
  const kind = textField(fields, "notification_type");
  const message = textField(fields, "message") ?? "";
  if (kind === "permission_prompt" || (kind === null && /permission/i.test(message)))
    return { kind: "waiting", reason: "permission" };
  if (kind === "idle_prompt" || (kind === null && /waiting for your input/i.test(message)))
    return { kind: "waiting", reason: "idle" };
  if (kind === "elicitation_dialog" || kind === "agent_needs_input") return { kind: "waiting", reason: "a question" };
  return { kind: "seen" };
}

/** A turn of a subagent's that ends is not the session's. */
function turnEnded(fields: Fields, inSubagent: boolean): ClientAction {
  if (inSubagent) return { kind: "subagent-ended" };
  // Older versions do not count them.
  const told = "background_tasks" in fields || "session_crons" in fields;
  const background = countField(fields, "background_tasks") + countField(fields, "session_crons");
  return { kind: "turn-ended", background: told ? background : null };
}

function takesContext(client: Caller, native: string): boolean {
  return CONTEXT_EVENTS[client].has(native);
}

const CONTEXT_EVENTS: Readonly<Record<Caller, ReadonlySet<string>>> = {
  "claude-code": new Set([
    "SessionStart",
    "SubagentStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
  ]),
  cursor: new Set(["SessionStart", "PostToolUse"]),
};

function pidOf(text: string | undefined): number | null {
  return text !== undefined && /^[1-9]\d{0,9}$/.test(text) ? Number(text) : null;
}
