// What became of a child, and what its parent reads of it. Nothing in the words depends on time or on who ran beside it, so that a
// history is the same however its children were scheduled.

import { unreachable } from "../base/assert.ts";
import type { AgentId } from "../base/ids.ts";
import { cleanText } from "../base/text.ts";
import type { Message } from "../model/message.ts";
import type { DelegationOutcome } from "./delegation-record.ts";
import type { LoadedSession } from "./session-load.ts";
import type { AgentEnding } from "./spec.ts";
import type { ToolAnswer } from "./tool.ts";

export type ChildOutcome = Exclude<DelegationOutcome, "refused">;

export interface ChildEnd {
  readonly outcome: ChildOutcome;
  /** Why, for people and models; empty for one that is done. */
  readonly detail: string;
  /** What the child said at its end; of one that is not done, what it had said last. */
  readonly said: string;
  /** What became of its changes; empty where it could make none. */
  readonly changes: string;
}

const saidCharsMax = 1_000_000;
const detailCharsMax = 4_000;

/** `timedOut`: the child was stopped by its time limit, in words. */
export function endOf(
  ending: AgentEnding,
  messages: readonly Message[],
  timedOut: string | null,
): Omit<ChildEnd, "changes"> {
  const said = cleanText(lastWords(messages), saidCharsMax);
  const because = (outcome: ChildOutcome, detail: string) => ({
    outcome,
    detail: cleanText(detail, detailCharsMax),
    said,
  });
  switch (ending.kind) {
    case "stopped":
      return said.trim() === "" ? because("failed", "it ended without a word") : { outcome: "done", detail: "", said };
    case "ended":
      return { outcome: "done", detail: "", said };
    case "turn-limit":
      return because("limit", `turn_limit: ${ending.turnsMax} model requests`);
    case "budget":
      return because("limit", ending.reason);
    case "no-progress":
      return because("failed", ending.reason);
    case "hook":
      return because("failed", `a hook ended it: ${ending.reason}`);
    case "model-error":
      return because("failed", `the model failed (${ending.error.code}): ${ending.error.message}`);
    case "record-failed":
      return because("failed", `its transcript cannot be written: ${ending.error.message}`);
    case "cancelled":
      return timedOut === null ? because("cancelled", "it was aborted before it was done") : because("limit", timedOut);
    default:
      return unreachable(ending);
  }
}

/** The end of a child that was over before a crash; null for one that goes on, as one does that was aborted. */
export function endedBefore({ messages, pending, ended }: LoadedSession): Omit<ChildEnd, "changes"> | null {
  const said = cleanText(lastWords(messages), saidCharsMax);
  const last = messages.at(-1);
  const stopped = last?.role === "assistant" && pending === null;
  if (stopped && (ended === null || ended.outcome === "stopped")) return { outcome: "done", detail: "", said };
  switch (ended?.outcome) {
    case "turn-limit":
      return { outcome: "limit", detail: `turn_limit: ${ended.detail}`, said };
    case "budget":
      return { outcome: "limit", detail: ended.detail, said };
    case "model-error":
      return { outcome: "failed", detail: `the model failed (${ended.detail})`, said };
    case "no-progress":
    case "hook":
      return { outcome: "failed", detail: ended.detail, said };
    default:
      return null;
  }
}

export function answerText(child: AgentId, end: ChildEnd): string {
  const { outcome, detail, said, changes } = end;
  const last = said.trim() === "" ? "" : outcome === "done" ? said : `What it had said last:\n${said}`;
  return [headline(child, outcome, detail), last, changes].filter((part) => part !== "").join("\n\n");
}

export function answerOf(outcome: ChildOutcome, text: string): ToolAnswer {
  switch (outcome) {
    case "done":
      return { kind: "text", text };
    case "failed":
    case "limit":
      return { kind: "error", text };
    case "cancelled":
      return { kind: "cancelled", text };
    default:
      return unreachable(outcome);
  }
}

/**
 * Whether the history ends with the child's result: a crash came before it was noted that the parent has it. What stands before the
 * last results and the message after them was noted.
 */
export function endsWithResultOf(child: AgentId, history: readonly Message[]): boolean {
  const begins = new RegExp(`^child ${child} (is done|failed|reached a limit|was cancelled)`, "m");
  return history.slice(-2).some((message) => {
    if (message.role === "user") return begins.test(message.text);
    return (
      message.role === "tool" && message.results.some(({ name, text }) => name === "wait_task" && begins.test(text))
    );
  });
}

function headline(child: AgentId, outcome: ChildOutcome, detail: string): string {
  switch (outcome) {
    case "done":
      return `child ${child} is done. Its result:`;
    case "failed":
      return `child ${child} failed: ${detail}`;
    case "limit":
      return `child ${child} reached a limit before it was done: ${detail}`;
    case "cancelled":
      return `child ${child} was cancelled: ${detail}`;
    default:
      return unreachable(outcome);
  }
}

function lastWords(messages: readonly Message[]): string {
  const last = messages.findLast((message) => message.role === "assistant" && message.text !== "");
  return last?.role === "assistant" ? last.text : "";
}
