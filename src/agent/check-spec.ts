// What the loop takes for granted of a spec: a history in which every call has one result, and pending calls that are its last answer's.
// Anything else is a bug of the caller.

import { assert } from "../base/assert.ts";
import type { ToolCall } from "../model/message.ts";
import type { PendingCalls } from "./session-history.ts";
import type { AgentSpec } from "./spec.ts";

export function checkSpec(spec: AgentSpec): void {
  const { messages, messagesRecorded, pending, waiting = false, tools, limits } = spec;
  assert(limits.repeatsMax >= 2, "once is not a repetition: repeatsMax is at least 2");
  assert(
    messagesRecorded >= 0 && messagesRecorded <= messages.length,
    "messagesRecorded counts messages of the history",
  );
  assert(new Set(tools.map((tool) => tool.spec.name)).size === tools.length, "tools have different names");
  const last = messages.at(-1);
  assert(
    last !== undefined && (last.role === "assistant") === (pending !== undefined || waiting),
    "a history to go on from ends with a user message, with results, or with an answer whose calls are pending or which waits",
  );
  if (pending !== undefined && last.role === "assistant") checkPending(pending, last.calls);
  assert(
    pending === undefined || messagesRecorded === messages.length,
    "pending calls are those of an answer that is recorded",
  );
  for (const [index, message] of messages.entries()) {
    const before = messages[index - 1];
    const asked = before?.role === "assistant" ? before.calls.map((call) => call.id) : [];
    const given = message.role === "tool" ? message.results.map((result) => result.callId) : [];
    assert(asked.join("\n") === given.join("\n"), "each call of a history has one result, in request order");
  }
}

function checkPending({ calls, results }: PendingCalls, asked: readonly ToolCall[]): void {
  const ids = (of: readonly ToolCall[]) => of.map((call) => call.id).join("\n");
  assert(calls.length > 0 && ids(calls) === ids(asked), "pending calls are those of the last answer");
  for (const [index, result] of results)
    assert(calls[index]?.id === result.callId, "a result that stands is that of the call in its place");
}
