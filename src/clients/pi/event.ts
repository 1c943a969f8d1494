// What our extension in pi tells (`extension-text.ts`) as our events. pi has no subagents and asks for no permissions.

import type { Result } from "../../base/result.ts";
import type { HookCall, PayloadError } from "../../sessions/client.ts";
import type { ClientAction, ClientEvent, StartSource } from "../../sessions/client-event.ts";
import { type Fields, idField, pidField, textField } from "../payload.ts";
import { type EventForm, filesEdited, PROGRAM_FIELDS, promptAction, readEvent, shellStarted } from "../read-event.ts";

export function toEvent(call: HookCall): Result<ClientEvent | null, PayloadError> {
  return readEvent(call, form);
}

const form: EventForm = {
  client: "pi",
  fields: { ...PROGRAM_FIELDS, agent: null, transcript: "file" },
  /** Before the next turn or with a tool's result: whichever comes first. */
  contextEvents: new Set(["session_start", "before_agent_start", "tool_call", "tool_result", "session_compact"]),
  actionOf,
  process: (fields) => ({ agentPid: pidField(fields, "pid"), tellsOwnPid: true }),
  sharedProcess: false,
};

function actionOf(native: string, fields: Fields): ClientAction | null {
  switch (native) {
    case "session_start":
      return { kind: "session-started", source: sourceOf(fields) };
    case "before_agent_start":
      return promptAction(textField(fields, "prompt") ?? "", false);
    case "agent_start":
    case "ui_prompt_end":
      return { kind: "seen" };
    case "ui_prompt_start":
      return { kind: "waiting", reason: "a question" };
    case "agent_end":
      return fields.aborted === true ? { kind: "interrupted" } : { kind: "turn-ended", background: 0 };
    case "tool_call":
      return shellStarted(idField(fields, "call"));
    case "tool_result":
      return afterTool(fields);
    case "session_before_compact":
      return { kind: "compacting" };
    case "session_compact":
      return { kind: "session-started", source: "compact" };
    case "session_shutdown":
      return shutDown(textField(fields, "reason"));
    default:
      return null;
  }
}

function sourceOf(fields: Fields): StartSource {
  switch (textField(fields, "reason")) {
    case "startup":
      return fields.resumed === true ? "resume" : "startup";
    case "new":
      return "clear";
    case "resume":
    case "reload":
      return "resume";
    case "fork":
      return "fork";
    default:
      return "other";
  }
}

function afterTool(fields: Fields): ClientAction {
  const failed = fields.failed === true;
  if (textField(fields, "tool") === "bash") return { kind: "shell-ended", call: idField(fields, "call"), failed };
  const path = textField(fields, "path");
  return filesEdited(path === null || failed ? [] : [path]);
}

/** Where another session takes its place in the same process, that one tells so by its start. */
function shutDown(reason: string | null): ClientAction | null {
  return reason === "quit" ? { kind: "session-ended", reason } : null;
}
