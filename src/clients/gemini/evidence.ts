// What Gemini CLI leaves beside its hooks: the lines of its chat file, as seen from 0.61.0. It keeps no state of its own that says whether it waits.

import type { Evidence, EvidenceReader } from "../../sessions/board/evidence.ts";
import { fieldsOf, textField } from "../payload.ts";

export const geminiEvidence: EvidenceReader = {
  client: "gemini",
  fromTranscript,
  statePath: () => null,
  fromState: () => null,
  // A command that was permitted is told before it begins.
  childrenAreWork: false,
};

/** `{"id":"…","timestamp":"…","type":"info","content":"Request cancelled."}` and the like. */
function fromTranscript(line: string): Evidence | null {
  // Other lines set the whole history anew, and are long.
  if (!line.startsWith('{"id":')) return null;
  const fields = parsed(line);
  const at = Date.parse(textField(fields ?? {}, "timestamp") ?? "");
  if (fields === null || Number.isNaN(at)) return null;
  switch (textField(fields, "type")) {
    case "info":
      return textField(fields, "content") === "Request cancelled." ? { kind: "interrupted", at } : null;
    case "gemini":
      return { kind: "active", at };
    case "user":
      return hasResult(fields.content) ? { kind: "active", at } : null;
    default:
      return null;
  }
}

/** Results of tools come as the person's words. */
function hasResult(content: unknown): boolean {
  return Array.isArray(content) && content.some((part: unknown) => fieldsOf(part)?.functionResponse !== undefined);
}

function parsed(text: string) {
  try {
    return fieldsOf(JSON.parse(text));
  } catch {
    return null;
  }
}
