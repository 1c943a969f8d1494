// What our plugin in opencode tells (`plugin-text.ts`) as our events. One opencode may serve many sessions from one process.

import { ok, type Result } from "../../base/result.ts";
import type { HookCall, PayloadError } from "../../sessions/client.ts";
import type { ClientAction, ClientEvent, StartSource } from "../../sessions/client-event.ts";
import { patchedPaths } from "../codex/patch.ts";
import { directoryOf, type Fields, fieldsOf, idField, payloadError, pidField, textField } from "../payload.ts";

export function toEvent(call: HookCall): Result<ClientEvent | null, PayloadError> {
  const fields = fieldsOf(call.payload);
  if (fields === null) return payloadError("expected an object");
  const native = textField(fields, "event");
  if (native === null) return payloadError("event: expected a text");
  const session = idField(fields, "session");
  if (session === null) return payloadError("session: expected a text of at most 200 characters");
  const agent = idField(fields, "agent");
  const action = actionOf(native, fields, agent !== null);
  if (action === null) return ok(null);
  return ok({
    client: "opencode",
    session,
    agent,
    cwd: directoryOf(fields, call, "directory"),
    action,
    native,
    takesContext: CONTEXT_EVENTS.has(native),
    transcript: null,
    agentPid: pidField(fields, "pid"),
    tellsOwnPid: true,
    sharedProcess: true,
  });
}

/** Only of these our plugin keeps the answer. */
const CONTEXT_EVENTS = new Set(["session.start", "chat.message", "tool.execute.before", "tool.execute.after"]);

function actionOf(native: string, fields: Fields, inSubagent: boolean): ClientAction | null {
  switch (native) {
    case "session.start":
      return startOf(textField(fields, "source"), fields, inSubagent);
    case "chat.message": {
      const text = unquoted(textField(fields, "prompt") ?? "");
      // A subagent's task comes as its prompt.
      return { kind: "prompt", text, byPerson: !inSubagent && text.trim() !== "" };
    }
    case "tool.execute.before": {
      const call = idField(fields, "call");
      return call === null ? { kind: "seen" } : { kind: "shell-started", call };
    }
    case "tool.execute.after":
      return afterTool(fields);
    case "tool.error":
      return { kind: "shell-ended", call: idField(fields, "call"), failed: true };
    case "permission.asked":
      return { kind: "waiting", reason: `permission: ${textField(fields, "permission") ?? "a tool"}` };
    case "question.asked":
      return { kind: "waiting", reason: "a question" };
    case "permission.replied":
    case "question.replied":
    case "question.rejected":
    case "session.status":
      return { kind: "seen" };
    case "session.idle":
      if (inSubagent) return { kind: "subagent-ended" };
      // Its subagents are calls of the turn, which ends after them.
      return fields.aborted === true ? { kind: "interrupted" } : { kind: "turn-ended", background: 0 };
    case "session.deleted":
      return inSubagent ? { kind: "subagent-ended" } : { kind: "session-ended", reason: "deleted" };
    case "experimental.session.compacting":
      return { kind: "compacting" };
    default:
      return null;
  }
}

/** `opencode run "several words"` puts its argument in quotes again. */
function unquoted(text: string): string {
  return /^"([^"]*)"$/.exec(text.trim())?.[1] ?? text;
}

function startOf(source: string | null, fields: Fields, inSubagent: boolean): ClientAction {
  if (inSubagent && source !== "compact")
    return { kind: "subagent-started", agentType: textField(fields, "agentType") };
  return { kind: "session-started", source: sourceOf(source) };
}

function sourceOf(text: string | null): StartSource {
  return text === "startup" || text === "resume" || text === "compact" ? text : "other";
}

function afterTool(fields: Fields): ClientAction {
  if (textField(fields, "tool") === "bash")
    return { kind: "shell-ended", call: idField(fields, "call"), failed: false };
  const path = textField(fields, "filePath");
  const paths = path === null ? patchedPaths(textField(fields, "patch") ?? "") : [path];
  return paths.length === 0 ? { kind: "seen" } : { kind: "files-edited", paths };
}
