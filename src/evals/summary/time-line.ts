// A record's requests and calls as spans of a time line. What never began is not drawn; what has no end was cut off with its agent.

import { capLine } from "../../base/text.ts";
import type { AgentLine, Span, TimeLine } from "../../report/report.ts";
import type { AgentRecord, CallRecord, RequestRecord, RunRecord } from "../record.ts";

const labelCharsMax = 160;
/** A shorter wait before a call is not drawn: every call has some. */
const queueDrawnMsMin = 20;
const WAITING_CALLS: readonly string[] = ["delegate_task", "wait_task"];

export function timeLineOf({ agents, delegations }: RunRecord): TimeLine {
  const childOf = new Map(delegations.map(({ parent, callId, child }) => [`${parent} ${callId}`, child]));
  const lines = agents
    .map((agent) => agentLine(agent, (callId) => childOf.get(`${agent.id} ${callId}`) ?? null))
    .toSorted((a, b) => a.startMs - b.startMs);
  return { endMs: Math.max(0, ...lines.map(({ endMs }) => endMs)), agents: lines };
}

function agentLine(agent: AgentRecord, childOf: (callId: string) => string | null): AgentLine {
  const times = [agent, ...agent.requests, ...agent.calls].flatMap(({ startMs, endMs }) =>
    [startMs, endMs].filter((ms) => ms !== null),
  );
  // Folded, not spread: a long run has more of them than a call takes arguments.
  const endMs = times.reduce((latest, ms) => Math.max(latest, ms), 0);
  const startMs = agent.startMs ?? times.reduce((earliest, ms) => Math.min(earliest, ms), endMs);
  const spans = [
    ...agent.requests.flatMap((request) => requestSpans(request, endMs)),
    ...agent.calls.flatMap((call) => callSpans(call, endMs, childOf(call.callId))),
  ];
  const { id, parent, outcome } = agent;
  return {
    id,
    parent,
    startMs,
    endMs,
    outcome,
    spans: spans.toSorted((a, b) => a.startMs - b.startMs || a.endMs - b.endMs),
  };
}

function requestSpans(request: RequestRecord, cutMs: number): readonly Span[] {
  const { startMs, queuedMs, turn, outcome, error, inputTokens, outputTokens } = request;
  if (startMs === null) return [];
  const endMs = Math.max(startMs, request.endMs ?? cutMs);
  const sentMs = Math.min(endMs, startMs + queuedMs);
  const tokens = `${inputTokens ?? "unknown"} tokens in, ${outputTokens ?? "unknown"} out`;
  const failed = request.endMs === null || outcome === "error" || outcome === "aborted";
  const label = capLine(`turn ${turn}, ${tokens}${error === null ? "" : `, ${error}`}`, labelCharsMax);
  return [{ kind: "model", queuedFromMs: queuedMs > 0 ? startMs : null, startMs: sentMs, endMs, label, failed }];
}

function callSpans(call: CallRecord, cutMs: number, child: string | null): readonly Span[] {
  const { startMs, queuedMs, name, isError } = call;
  if (startMs === null) return [];
  const endMs = Math.max(startMs, call.endMs ?? cutMs);
  const label = capLine(`${name}${child === null ? "" : ` → ${child}`} ${call.arguments}`, labelCharsMax);
  const waited = queuedMs !== null && startMs - queuedMs >= queueDrawnMsMin;
  return [
    {
      kind: WAITING_CALLS.includes(name) ? "delegation" : "tool",
      queuedFromMs: waited ? queuedMs : null,
      startMs,
      endMs,
      label,
      failed: isError || call.endMs === null,
    },
  ];
}
