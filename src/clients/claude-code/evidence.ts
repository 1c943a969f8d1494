// What Claude Code leaves beside its hooks: lines of the transcript, and `sessions/<process>.json` in its directory, where it says itself
// whether it is busy. Both as seen from 2.1.332; older versions have no such file, and the transcript alone counts.

import { basename, dirname, join } from "node:path";
import type { Evidence, EvidenceReader } from "../../sessions/board/evidence.ts";
import type { Facts } from "../../sessions/presence/line.ts";
import { type Fields, fieldsOf, objectField, textField } from "../payload.ts";

export const claudeCodeEvidence: EvidenceReader = {
  client: "claude-code",
  fromTranscript,
  statePath,
  fromState,
  childrenAreWork: false,
};

/** `{"type":"user","message":{"content":[{"type":"text","text":"[Request interrupted by user]"}]},"timestamp":"…"}` and the like. */
function fromTranscript(line: string): Evidence | null {
  // Most lines are of other kinds, and long.
  if (!/"type":"(?:assistant|user)"/.test(line)) return null;
  const fields = parsed(line);
  const at = Date.parse(textField(fields ?? {}, "timestamp") ?? "");
  // Older versions keep subagents' lines in the session's own file.
  if (fields === null || Number.isNaN(at) || fields.isSidechain === true) return null;
  const message = objectField(fields, "message");
  switch (textField(fields, "type")) {
    case "assistant":
      // What the client itself puts in: an error of the provider, a word about an interrupt.
      return textField(message, "model") === "<synthetic>" || fields.isApiErrorMessage === true
        ? null
        : { kind: "active", at };
    case "user":
      return ofUser(message, at);
    default:
      return null;
  }
}

function ofUser(message: Fields, at: number): Evidence | null {
  const content = message.content;
  const all: readonly unknown[] = Array.isArray(content) ? content : [];
  const blocks = all.map(fieldsOf).filter((block) => block !== null);
  const texts = typeof content === "string" ? [content] : blocks.flatMap((block) => textField(block, "text") ?? []);
  if (texts.some((text) => text.startsWith("[Request interrupted by user"))) return { kind: "interrupted", at };
  // A hook's objection to the end of a turn: it goes on.
  if (texts.some((text) => text.startsWith("Stop hook feedback"))) return { kind: "active", at };
  const results = blocks.filter((block) => textField(block, "type") === "tool_result");
  // A refused call has a result, too: what the person decided, and no work.
  return results.length > 0 && !results.every(isRefused) ? { kind: "active", at } : null;
}

function isRefused(result: Fields): boolean {
  return (textField(result, "content") ?? "").startsWith("The user doesn't want to proceed");
}

/** The transcript lies in `<directory>/projects/<project>/<session>.jsonl`. */
function statePath({ transcript, process, session }: Facts): string | null {
  if (transcript === null || process === null || basename(transcript) !== `${session}.jsonl`) return null;
  const projects = dirname(dirname(transcript));
  return basename(projects) === "projects" ? join(dirname(projects), "sessions", `${process.pid}.json`) : null;
}

/** `{"sessionId":"…","status":"busy","statusUpdatedAt":1796012276709,"waitingFor":"permission prompt"}` */
function fromState(text: string, { session }: Facts): Evidence | null {
  const fields = parsed(text);
  // After `/clear` the process has another session.
  if (fields === null || textField(fields, "sessionId") !== session) return null;
  const at = fields.statusUpdatedAt;
  if (typeof at !== "number" || !Number.isSafeInteger(at) || at < 0) return null;
  switch (textField(fields, "status")) {
    case "busy":
      return { kind: "active", at };
    case "idle":
      return { kind: "idle", at };
    case "waiting":
      return { kind: "waiting", at, reason: reasonOf(textField(fields, "waitingFor")) };
    default:
      // `shell`: the turn is over and a command goes on in the background, which the end of the turn has told.
      return null;
  }
}

function reasonOf(waitingFor: string | null): string {
  return waitingFor === "permission prompt" || waitingFor === "sandbox request" ? "permission" : "a question";
}

function parsed(text: string): Fields | null {
  try {
    return fieldsOf(JSON.parse(text));
  } catch {
    return null;
  }
}
