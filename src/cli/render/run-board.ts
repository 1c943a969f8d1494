// What a run of agents is doing now: a fold of its events, from which the live screen and the plain lines are made. Pure: the time is
// handed in. Each running call and each child is one entry, in the order in which they began.

import type { ApprovalEvent, Question } from "../../agent/approval/question.ts";
import type { FamilyEvent } from "../../agent/family-event.ts";
import type { AgentEvent } from "../../agent/spec.ts";
import { unreachable } from "../../base/assert.ts";
import type { AgentId, CallId } from "../../base/ids.ts";
import { cleanLine } from "../../base/text.ts";
import type { ToolCall } from "../../model/message.ts";
import { addFigures, type Figure, type Usage } from "../../model/usage.ts";

export interface RunningCall {
  readonly callId: CallId;
  readonly name: string;
  /** The argument a person would name the call by; one clean line. */
  readonly hint: string;
  readonly sinceMs: number;
}

/** A call that waits for the person. */
export interface WaitingCall {
  readonly number: number;
  /** One clean line. */
  readonly what: string;
  readonly sinceMs: number;
}

export interface Sums {
  readonly requests: number;
  readonly inputTokens: Figure;
  readonly outputTokens: Figure;
}

export type Asking =
  /** In the limiter's queue, or in a pause that the provider asked for. */
  | { readonly kind: "waits"; readonly sinceMs: number }
  | { readonly kind: "asks"; readonly sinceMs: number }
  | { readonly kind: "writes"; readonly sinceMs: number; readonly chars: number }
  | { readonly kind: "compacts"; readonly sinceMs: number };

export interface AgentLine {
  readonly agent: AgentId;
  /** The parent's call it answers; null for the first agent. */
  readonly startedBy: CallId | null;
  readonly task: string;
  readonly model: string;
  readonly state: "queued" | "running" | "ended";
  readonly sinceMs: number;
  readonly asking: Asking | null;
  readonly calls: readonly RunningCall[];
  readonly approvals: readonly WaitingCall[];
  readonly sums: Sums;
}

const NO_SUMS: Sums = { requests: 0, inputTokens: 0, outputTokens: 0 };

const NOTHING_YET = { asking: null, calls: [], approvals: [], sums: NO_SUMS };

export class RunBoard {
  readonly #agents = new Map<AgentId, AgentLine>();

  constructor(root: AgentId, task: string, nowMs: number) {
    const line = { agent: root, startedBy: null, task: cleanLine(task, 200), model: "" };
    this.#agents.set(root, { ...line, state: "running", sinceMs: nowMs, ...NOTHING_YET });
  }

  /** The first agent, then its children that are not at their end, as they came. */
  lines(): readonly AgentLine[] {
    return [...this.#agents.values()].filter(({ state }) => state !== "ended");
  }

  /** The call is a child's, or was. */
  isDelegation(call: CallId): boolean {
    return [...this.#agents.values()].some(({ startedBy }) => startedBy === call);
  }

  line(agent: AgentId): AgentLine | null {
    return this.#agents.get(agent) ?? null;
  }

  /** All agents' requests so far. */
  sums(): Sums {
    return [...this.#agents.values()].map(({ sums }) => sums).reduce(added, NO_SUMS);
  }

  see(agent: AgentId, event: AgentEvent, nowMs: number): void {
    const before = this.#agents.get(agent);
    if (before !== undefined) this.#agents.set(agent, { ...before, ...changed(before, event, nowMs) });
  }

  family(event: FamilyEvent, nowMs: number): void {
    switch (event.kind) {
      case "child-queued": {
        const { child, callId, task, model } = event;
        const line = { agent: child, startedBy: callId, task: cleanLine(task, 200), model: cleanLine(model, 100) };
        this.#agents.set(child, { ...line, state: "queued", sinceMs: nowMs, ...NOTHING_YET });
        return;
      }
      case "child-started":
        return this.#change(event.child, { state: "running", sinceMs: nowMs });
      case "child-event":
        return this.see(event.child, event.event, nowMs);
      case "child-ended":
        return this.#change(event.child, { state: "ended", asking: null, calls: [], approvals: [] });
    }
  }

  approval(event: ApprovalEvent, nowMs: number): void {
    const { agent, number } = event.question;
    const others = this.line(agent)?.approvals.filter((one) => one.number !== number) ?? [];
    const added = event.kind === "waiting" ? [{ number, what: subjectText(event.question), sinceMs: nowMs }] : [];
    this.#change(agent, { approvals: [...others, ...added] });
  }

  #change(agent: AgentId, change: Partial<AgentLine>): void {
    const before = this.#agents.get(agent);
    if (before !== undefined) this.#agents.set(agent, { ...before, ...change });
  }
}

function changed(before: AgentLine, event: AgentEvent, nowMs: number): Partial<AgentLine> {
  switch (event.kind) {
    case "request-started":
      // A summary is asked for with a request of its own.
      return before.asking?.kind === "compacts" ? {} : { asking: { kind: "asks", sinceMs: nowMs } };
    case "attempt":
      if (before.asking?.kind === "compacts") return {};
      return { asking: { kind: event.attempt.kind === "started" ? "asks" : "waits", sinceMs: nowMs } };
    case "text": {
      const { asking } = before;
      const chars = (asking?.kind === "writes" ? asking.chars : 0) + event.text.length;
      return { asking: { kind: "writes", sinceMs: asking?.sinceMs ?? nowMs, chars } };
    }
    case "compaction-started":
      return { asking: { kind: "compacts", sinceMs: nowMs } };
    case "request-ended":
      return { asking: null, sums: added(before.sums, { requests: 1, ...tokensOf(event.report.usage) }) };
    case "call-started": {
      const { id, name } = event.call;
      const call = { callId: id, name: cleanLine(name, 60), hint: argumentHint(event.call), sinceMs: nowMs };
      return { calls: [...before.calls, call] };
    }
    case "call-ended": {
      const at = before.calls.findIndex(({ callId }) => callId === event.result.callId);
      return { calls: before.calls.filter((_call, index) => index !== at) };
    }
    case "ended":
      return { asking: null, calls: [] };
    default:
      return {};
  }
}

function tokensOf({ inputTokens, outputTokens }: Usage): Pick<Sums, "inputTokens" | "outputTokens"> {
  return { inputTokens, outputTokens };
}

function added(a: Sums, b: Sums): Sums {
  return {
    requests: a.requests + b.requests,
    inputTokens: addFigures(a.inputTokens, b.inputTokens),
    outputTokens: addFigures(a.outputTokens, b.outputTokens),
  };
}

/** What a question is about, in one clean line. */
export function subjectText({ tool, subject }: Question): string {
  switch (subject.kind) {
    case "command":
      return `${cleanLine(tool, 60)} ${cleanLine(subject.command, 160)}`;
    case "edit":
      return `${cleanLine(tool, 60)} ${cleanLine(subject.path, 160)}`;
    case "other":
      return `${cleanLine(tool, 60)} ${cleanLine(subject.input, 160)}`;
    default:
      return unreachable(subject);
  }
}

const NAMING = ["command", "path", "pattern", "task", "message", "url", "query", "id"];

/** What a person would name the call by: of its arguments the telling one, else all of them in short. */
export function argumentHint({ arguments: given }: ToolCall): string {
  if (given.kind === "malformed") return "(malformed arguments)";
  const { value } = given;
  if (typeof value !== "object" || value === null) return cleanLine(JSON.stringify(value) ?? "", 160);
  const fields: Readonly<Record<string, unknown>> = { ...value };
  const named = NAMING.map((name) => fields[name]).find((field) => typeof field === "string");
  return cleanLine(typeof named === "string" ? named : JSON.stringify(value), 160);
}
