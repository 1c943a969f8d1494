// What Codex leaves beside its hooks: the lines of its rollout file, as seen from 0.171.0, and the processes that it starts. It keeps no state
// of its own that says whether it waits.

import type { Evidence, EvidenceReader } from "../../sessions/board/evidence.ts";
import { fieldsOf, objectField, textField } from "../payload.ts";

export const codexEvidence: EvidenceReader = {
  client: "codex",
  fromTranscript,
  statePath: () => null,
  fromState: () => null,
  // Between the answer to a permission and the end of its command nothing is told, but the command runs.
  childrenAreWork: true,
};

/** `{"timestamp":"…","type":"event_msg","payload":{"type":"turn_aborted"}}` */
function fromTranscript(line: string): Evidence | null {
  // All other lines are what the model was sent, and long.
  if (!line.includes('"type":"event_msg"')) return null;
  const fields = parsed(line);
  const at = Date.parse(textField(fields ?? {}, "timestamp") ?? "");
  if (fields === null || Number.isNaN(at) || textField(fields, "type") !== "event_msg") return null;
  const payload = objectField(fields, "payload");
  switch (textField(payload, "type")) {
    case "turn_aborted":
      return { kind: "interrupted", at };
    case "task_complete":
      return { kind: "idle", at };
    case "item_completed":
      // The person's own words are an item, too.
      return textField(objectField(payload, "item"), "type") === "UserMessage" ? null : { kind: "active", at };
    case "task_started":
    case "agent_message":
    case "exec_command_end":
    case "patch_apply_end":
    case "mcp_tool_call_end":
      return { kind: "active", at };
    default:
      return null;
  }
}

function parsed(text: string) {
  try {
    return fieldsOf(JSON.parse(text));
  } catch {
    return null;
  }
}
