// A family of agents on a simulated clock: a parent that delegates, children that share its tree, models that answer by who asks.

import type { ChildHome, ChildMaker, ChildPlan } from "../../agent/child-home.ts";
import type { ChildOutcome } from "../../agent/child-outcome.ts";
import { DELEGATION_LIMITS, type DelegationLimits } from "../../agent/delegation-limits.ts";
import type { ChildEntry, DelegationRecord } from "../../agent/delegation-record.ts";
import { Family } from "../../agent/family.ts";
import type { FamilyEvent } from "../../agent/family-event.ts";
import { runAgent } from "../../agent/loop.ts";
import { RunBudget } from "../../agent/run-budget.ts";
import { RunningCalls } from "../../agent/running-calls.ts";
import type { SessionEntry } from "../../agent/session-entry.ts";
import type { LoadedSession } from "../../agent/session-load.ts";
import { AGENT_LIMITS, type AgentLimits, type AgentPorts, type AgentResult } from "../../agent/spec.ts";
import type { Tool } from "../../agent/tool.ts";
import { addTotals, NO_TOTALS } from "../../agent/totals.ts";
import { treeLocks } from "../../agent/tree-locks.ts";
import { type AgentId, asAgentId } from "../../base/ids.ts";
import { ok } from "../../base/result.ts";
import type { Clock } from "../../host/clock.ts";
import type { ToolCall } from "../../model/message.ts";
import type { ModelError, ModelRequest, Provider, StreamEvent } from "../../model/provider.ts";
import type { Price, Usage } from "../../model/usage.ts";
import { delegateTaskTool } from "../../tools/delegate-task.ts";
import { waitTaskTool } from "../../tools/wait-task.ts";
import { type SimHost, simHost } from "../sim/host.ts";
import { call, USAGE } from "./rig.ts";

export interface Answered {
  readonly afterMs?: number;
  readonly say?: string;
  readonly calls?: readonly ToolCall[];
  readonly error?: ModelError;
  readonly usage?: Usage;
}

/** Answers by who asks: `a0` is the parent. */
export type Answering = (request: ModelRequest) => Answered;

export interface FamilyRigOptions {
  readonly answering: Answering;
  readonly limits?: Partial<DelegationLimits>;
  readonly agentLimits?: Partial<AgentLimits>;
  readonly tools?: (host: SimHost) => readonly Tool[];
  readonly price?: Price | null;
  readonly budgetUsd?: number | null;
  readonly ports?: Partial<AgentPorts>;
  readonly models?: readonly string[];
  /** Instead of the plain provider. */
  readonly provider?: (clock: Clock) => Provider;
  readonly before?: { readonly entries: readonly ChildEntry[]; readonly sessions: ReadonlyMap<AgentId, LoadedSession> };
  readonly finish?: (
    plan: ChildPlan,
    outcome: ChildOutcome,
  ) => Promise<{ readonly kind: "brought" | "failed"; readonly text: string }>;
}

const nothing = { kind: "brought", text: "" } as const;

export const top = asAgentId("a0");

export function familyRig(options: FamilyRigOptions) {
  const host = simHost({ seed: 1 });
  const { clock } = host;
  const abort = new AbortController();
  const requests: ModelRequest[] = [];
  const records: DelegationRecord[] = [];
  const notes: ChildEntry[] = [];
  const events: FamilyEvent[] = [];
  const entries = new Map<AgentId, SessionEntry[]>();
  const spilled: { readonly agent: AgentId; readonly text: string }[] = [];
  const running = new RunningCalls();
  const locks = treeLocks();
  const provider =
    options.provider?.(clock) ?? answeringProvider(clock, options.answering, requests, options.price ?? null);
  const agentLimits = { ...AGENT_LIMITS, ...options.agentLimits };
  const budget = new RunBudget({ clock, budgetUsd: options.budgetUsd ?? null, minutes: null, requestsMax: null });
  const portsOf = (
    agent: AgentId,
  ): Pick<AgentPorts, "provider" | "spill" | "locks" | "running"> & Pick<AgentPorts, "record"> => ({
    provider,
    locks,
    running,
    ...options.ports,
    spill: async ({ text }) => {
      spilled.push({ agent, text });
      return ok(`/spill/${agent}/${spilled.length}.txt`);
    },
    record: {
      append: async (...added) => {
        entries.set(agent, [...(entries.get(agent) ?? []), ...added]);
        return ok(undefined);
      },
    },
  });
  const maker: ChildMaker = {
    models: options.models ?? ["test/model"],
    spillOf: (agent) => portsOf(agent).spill,
    scopeIn: async (_agent, paths) => ok(paths.map((path) => `/${path}`)),
    make: async (plan) => {
      const { record, ...ports } = portsOf(plan.asked.child);
      const home: ChildHome = {
        spec: { system: "You test.", tools, limits: agentLimits },
        ports,
        record,
        session: plan.resumed ? (options.before?.sessions.get(plan.asked.child) ?? null) : null,
        finish: options.finish === undefined ? null : async (outcome) => options.finish?.(plan, outcome) ?? nothing,
        close: async () => {},
      };
      return ok(home);
    },
  };
  const family = new Family({
    top,
    clock,
    limits: { ...DELEGATION_LIMITS, ...options.limits },
    maker,
    log: { ended: async (record) => void records.push(record), note: async (added) => void notes.push(...added) },
    requestsOf: (child) => ({
      beforeRequest: async (plan) =>
        budget.before({ agent: child, price: provider.price, usdMax: options.limits?.childUsdMax ?? null }, plan),
      afterRequest: async (report) => budget.after(child, report),
    }),
    signal: abort.signal,
    onEvent: (event) => void events.push(event),
    before: { entries: options.before?.entries ?? [], lastSeq: 0, conversation: [] },
  });
  const tools: readonly Tool[] = [
    ...(options.tools?.(host) ?? []),
    delegateTaskTool({ family, models: maker.models }),
    waitTaskTool(family),
  ];
  const run = (): Promise<AgentResult> =>
    runAgent(
      {
        agent: top,
        parent: null,
        role: "solo",
        task: null,
        taskKeys: [],
        system: "You test.",
        messages: [{ role: "user", text: "go" }],
        messagesRecorded: 0,
        firstTurn: 0,
        tools,
        limits: agentLimits,
      },
      {
        ...portsOf(top),
        clock,
        signal: abort.signal,
        notices: family.noticesFor(top),
        beforeRequest: async (plan) => budget.before({ agent: top, price: provider.price, usdMax: null }, plan),
        afterRequest: async (report) => budget.after(top, report),
      },
    );
  return {
    host,
    clock,
    abort,
    family,
    tools,
    running,
    requests,
    records,
    notes,
    events,
    entries,
    spilled,
    budget,
    /** Of all children that are over. */
    totals: () =>
      events.reduce((sum, event) => (event.kind === "child-ended" ? addTotals(sum, event.totals) : sum), NO_TOTALS),
    /** The parent's run in virtual time, then its family's end. */
    toEnd: async (): Promise<AgentResult> =>
      host.run(
        (async () => {
          const result = await run();
          await family.close();
          return result;
        })(),
      ),
  };
}

/** Texts of the parent's results of one answer, from the request that follows it. */
export function resultsOf(result: Pick<AgentResult, "messages">): readonly (readonly [string, boolean])[] {
  return result.messages.flatMap((message) =>
    message.role === "tool" ? message.results.map((one): readonly [string, boolean] => [one.text, one.isError]) : [],
  );
}

export function answeringProvider(
  clock: Clock,
  answering: Answering,
  requests: ModelRequest[],
  price: Price | null = null,
): Provider {
  return {
    name: "test/model",
    scripted: true,
    price,
    async *request(request: ModelRequest, signal: AbortSignal): AsyncGenerator<StreamEvent> {
      requests.push(request);
      const { afterMs = 0, say, calls = [], error, usage = USAGE } = answering(request);
      if (afterMs > 0) await clock.sleep(afterMs, signal);
      if (signal.aborted) return yield { kind: "aborted" };
      if (error !== undefined) return yield { kind: "error", error };
      if (say !== undefined) yield { kind: "text", text: say };
      for (const call of calls) yield { kind: "call", call };
      yield { kind: "done", stop: calls.length > 0 ? "calls" : "end", usage };
    },
  };
}

export function delegate(id: string, task: string, more: object = {}): ToolCall {
  return call(id, "delegate_task", { task, ...more });
}

/** The parent delegates these in one answer and then stops; children answer by their task. */
export function parentOf(
  calls: readonly ToolCall[],
  child: (task: string, request: ModelRequest) => Answered,
): Answering {
  return (request) => {
    if (request.context.agent !== top) return child(taskOf(request), request);
    return request.context.turn === 1 ? { calls } : { say: "all is done" };
  };
}

export function taskOf({ messages }: ModelRequest): string {
  const told = messages.findLast((message) => message.role === "user" && message.text.includes("Your task:\n"));
  return told?.role === "user" ? (told.text.split("Your task:\n")[1] ?? "") : "";
}

/** What a parent reads of a child that is done. */
export function done(child: string, text: string): readonly [string, boolean] {
  return [`child ${child} is done. Its result:\n\n${text}`, false];
}
