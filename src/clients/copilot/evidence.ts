// What Copilot CLI leaves beside its hooks: the lines of its session's `events.jsonl`, as seen from 1.0.102; `abort` as documented for its SDK
// (https://github.com/github/copilot-sdk), which has the same events.

import type { Evidence, EvidenceReader } from "../../sessions/board/evidence.ts";
import { fieldsOf, textField } from "../payload.ts";

export const copilotEvidence: EvidenceReader = {
  client: "copilot",
  fromTranscript,
  statePath: () => null,
  fromState: () => null,
  // Nothing is told between the answer to a permission and the end of its command, but the command runs.
  childrenAreWork: true,
};

/** `{"type":"abort","data":{"reason":"user_initiated"},"id":"…","timestamp":"…","parentId":"…"}` */
function fromTranscript(line: string): Evidence | null {
  // Other lines are what hooks and the model were sent, and long.
  const kind = KINDS.get(/^\{"type":"([a-z_.]+)"/.exec(line)?.[1] ?? "");
  if (kind === undefined) return null;
  const at = Date.parse(textField(parsed(line) ?? {}, "timestamp") ?? "");
  return Number.isNaN(at) ? null : { kind, at };
}

const KINDS = new Map<string, "interrupted" | "active">([
  ["abort", "interrupted"],
  ["assistant.turn_start", "active"],
  ["assistant.message", "active"],
  ["tool.execution_complete", "active"],
]);

function parsed(text: string) {
  try {
    return fieldsOf(JSON.parse(text));
  } catch {
    return null;
  }
}
