// The events of a lone run as `--output stream-json` gives them: one object a line, `type` first, each with the agent it is about and
// its parent. Documented in docs/run.md: a field is never changed in meaning.

import type { ApprovalEvent } from "../../agent/approval/question.ts";
import type { FamilyEvent } from "../../agent/family-event.ts";
import type { AgentEvent } from "../../agent/spec.ts";
import type { RunStart } from "../../app/run-types.ts";
import { unreachable } from "../../base/assert.ts";
import type { AgentId } from "../../base/ids.ts";

export function startJson(start: RunStart): object {
  const { runId, agent, resumed, task, roles, directory, transcript, limits, policy, sandbox } = start;
  const scripted = roles.some((role) => role.scripted);
  return {
    type: "start",
    runId,
    agent,
    resumed,
    task,
    model: roles[0]?.title ?? null,
    scripted,
    label: scripted ? "scripted model" : null,
    directory,
    limits,
    approval: policy.mode,
    sandbox: sandbox.kind === "held" ? sandbox.sandbox.name : null,
    transcript,
  };
}

export interface Who {
  readonly agent: AgentId;
  readonly parent: AgentId | null;
}

/** Null for what only a screen shows. */
export function eventJson({ agent, parent }: Who, event: AgentEvent): object | null {
  const { turn } = event;
  const who = { agent, parent, turn };
  switch (event.kind) {
    case "request-started":
      return { type: "request_started", ...who };
    case "text":
      return { type: "text", ...who, text: event.text };
    case "attempt": {
      const { attempt } = event;
      if (attempt.kind !== "ended" || attempt.report.error === null) return null;
      const { number, error, waitedMs, durationMs } = attempt.report;
      return { type: "attempt_failed", ...who, number, error, waitedMs, durationMs };
    }
    case "request-ended": {
      const { outcome, error, usage, costUsd, durationMs, waitedMs } = event.report;
      return { type: "request_ended", ...who, outcome, error, ...usage, costUsd, durationMs, waitedMs };
    }
    case "call-started": {
      const { id: callId, name, arguments: given } = event.call;
      return {
        type: "call_started",
        ...who,
        callId,
        name,
        arguments: given.kind === "parsed" ? given.value : given.text,
      };
    }
    case "call-ended": {
      const { callId, name, text, isError } = event.result;
      return { type: "call_ended", ...who, callId, name, outcome: event.outcome, isError, text };
    }
    case "internal-error":
      return { type: "internal_error", ...who, callId: event.call.id, message: event.message };
    case "compaction-started":
      return { type: "compaction_started", ...who, tokensBefore: event.tokensBefore };
    case "compacted": {
      const { how, tokensBefore, tokensAfter } = event;
      return { type: "compacted", ...who, how, tokensBefore, tokensAfter };
    }
    case "ended":
      return { type: "agent_ended", ...who, outcome: event.outcome };
    default:
      return unreachable(event);
  }
}

export function approvalJson(event: ApprovalEvent): object {
  const { number, agent, parent, turn, callId, tool: name, why } = event.question;
  const who = { agent, parent, turn, callId, name, number };
  if (event.kind === "waiting") return { type: "approval_waiting", ...who, why };
  return { type: "approval_answered", ...who, answer: event.answer, waitedMs: event.waitedMs };
}

export function familyJson(event: Exclude<FamilyEvent, { readonly kind: "child-event" }>): object {
  switch (event.kind) {
    case "child-queued": {
      const { child: agent, parent, callId, task, model, background } = event;
      return { type: "child_queued", agent, parent, callId, task, model, background };
    }
    case "child-started": {
      const { child: agent, parent, concurrent, atMs } = event;
      return { type: "child_started", agent, parent, concurrent, atMs };
    }
    case "child-ended": {
      const { child: agent, parent, outcome, detail, totals, durationMs } = event;
      const { requests, usage, costUsd } = totals;
      return { type: "child_ended", agent, parent, outcome, detail, requests, ...usage, costUsd, durationMs };
    }
    default:
      return unreachable(event);
  }
}
