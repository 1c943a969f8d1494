// What our plugin in opencode tells (`plugin-text.ts`) as our events. One opencode may serve many sessions from one process.

import type { Result } from "../../base/result.ts";
import type { HookCall, PayloadError } from "../../sessions/client.ts";
import type { ClientAction, ClientEvent } from "../../sessions/client-event.ts";
import { patchedPaths } from "../codex/patch.ts";
import { type Fields, idField, pidField, textField } from "../payload.ts";
import {
  type EventForm,
  filesEdited,
  PROGRAM_FIELDS,
  promptAction,
  readEvent,
  shellStarted,
  startSource,
} from "../read-event.ts";

export function toEvent(call: HookCall): Result<ClientEvent | null, PayloadError> {
  return readEvent(call, form);
}

const form: EventForm = {
  client: "opencode",
  fields: PROGRAM_FIELDS,
  /** Only of these our plugin keeps the answer. */
  contextEvents: new Set(["session.start", "chat.message", "tool.execute.before", "tool.execute.after"]),
  actionOf,
  process: (fields) => ({ agentPid: pidField(fields, "pid"), tellsOwnPid: true }),
  sharedProcess: true,
};

function actionOf(native: string, fields: Fields, inSubagent: boolean): ClientAction | null {
  switch (native) {
    case "session.start":
      return startOf(textField(fields, "source"), fields, inSubagent);
    case "chat.message":
      return promptAction(unquoted(textField(fields, "prompt") ?? ""), inSubagent);
    case "tool.execute.before":
      return shellStarted(idField(fields, "call"));
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
  return { kind: "session-started", source: startSource(source, ["startup", "resume", "compact"]) };
}

function afterTool(fields: Fields): ClientAction {
  if (textField(fields, "tool") === "bash")
    return { kind: "shell-ended", call: idField(fields, "call"), failed: false };
  const path = textField(fields, "filePath");
  return filesEdited(path === null ? patchedPaths(textField(fields, "patch") ?? "") : [path]);
}
