// An agent in a test: a provider that gives prepared answers, a clock that stands still until it is moved, a session log in memory.

import type { SessionEntry } from "../../agent/session-entry.ts";
import type { PendingCalls } from "../../agent/session-history.ts";
import { AGENT_LIMITS, type AgentEvent, type AgentLimits, type AgentPorts, type AgentSpec } from "../../agent/spec.ts";
import type { Effect, Tool, ToolAnswer, ToolContext } from "../../agent/tool.ts";
import { asAgentId, asCallId } from "../../base/ids.ts";
import { ok } from "../../base/result.ts";
import type { Clock } from "../../host/clock.ts";
import type { Message, ToolCall } from "../../model/message.ts";
import type { ModelRequest, Provider, StreamEvent } from "../../model/provider.ts";
import type { Price, Usage } from "../../model/usage.ts";

export const USAGE: Usage = { inputTokens: 100, cachedTokens: 40, outputTokens: 10 };

export function call(id: string, name: string, value: unknown = {}): ToolCall {
  return { id: asCallId(id), name, arguments: { kind: "parsed", value } };
}

export function calling(...calls: readonly ToolCall[]): readonly StreamEvent[] {
  return [...calls.map((one) => ({ kind: "call", call: one }) as const), { kind: "done", stop: "calls", usage: USAGE }];
}

export function saying(text: string, usage: Usage = USAGE): readonly StreamEvent[] {
  return [
    { kind: "text", text },
    { kind: "done", stop: "end", usage },
  ];
}

/** Gives the answers in order; a request beyond them is a mistake of the test. */
export class PreparedProvider implements Provider {
  readonly name = "test/prepared";
  readonly scripted = true;
  readonly price: Price | null = { inputUsdPerMtok: 10, cachedUsdPerMtok: 1, outputUsdPerMtok: 100 };
  readonly requests: ModelRequest[] = [];
  private readonly answers: (readonly StreamEvent[])[];

  constructor(answers: readonly (readonly StreamEvent[])[]) {
    this.answers = [...answers];
  }

  async *request(request: ModelRequest, signal: AbortSignal): AsyncGenerator<StreamEvent> {
    this.requests.push(request);
    const answer = this.answers.shift();
    if (answer === undefined) throw new Error(`no answer is prepared for request ${this.requests.length}`);
    for (const event of answer) {
      if (signal.aborted) {
        yield { kind: "aborted" };
        return;
      }
      yield event;
    }
  }
}

/** Stands at 1,000 ms; timers run when it is moved past them. */
export class StillClock implements Clock {
  private at = 1_000;
  private readonly timers = new Map<() => void, number>();

  now(): number {
    return this.at;
  }

  monotonicMs(): number {
    return this.at;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      this.after(ms, resolve);
      signal?.addEventListener("abort", () => resolve(), { once: true });
    });
  }

  after(ms: number, callback: () => void): { cancel(): void } {
    const fire = () => callback();
    this.timers.set(fire, this.at + ms);
    return { cancel: () => void this.timers.delete(fire) };
  }

  move(ms: number): void {
    this.at += ms;
    for (const [fire, due] of this.timers) {
      if (due > this.at) continue;
      this.timers.delete(fire);
      fire();
    }
  }
}

export function tool(
  name: string,
  effect: Effect,
  run: (input: unknown, context: ToolContext) => Promise<ToolAnswer>,
): Tool {
  return { spec: { name, description: name, inputSchema: { type: "object" } }, effect, run };
}

/** Answers `text`, or what it makes of the input. */
export function textTool(name: string, effect: Effect, text: string | ((input: unknown) => string)): Tool {
  return tool(name, effect, async (input) => ({ kind: "text", text: typeof text === "string" ? text : text(input) }));
}

export interface Rig {
  readonly spec: AgentSpec;
  readonly ports: AgentPorts;
  readonly provider: PreparedProvider;
  readonly clock: StillClock;
  readonly entries: SessionEntry[];
  readonly events: AgentEvent[];
  readonly spilled: string[];
  readonly abort: AbortController;
}

export interface RigOptions {
  readonly answers: readonly (readonly StreamEvent[])[];
  readonly tools?: readonly Tool[];
  readonly limits?: Partial<AgentLimits>;
  readonly messages?: readonly Message[];
  /** The session goes on with these calls of the last message; all messages are recorded. */
  readonly pending?: PendingCalls;
}

export function rig(options: RigOptions): Rig {
  const { messages = [{ role: "user", text: "go" }], pending } = options;
  const provider = new PreparedProvider(options.answers);
  const clock = new StillClock();
  const abort = new AbortController();
  const entries: SessionEntry[] = [];
  const events: AgentEvent[] = [];
  const spilled: string[] = [];
  const spec: AgentSpec = {
    agent: asAgentId("a1"),
    parent: null,
    role: "worker",
    task: null,
    taskKeys: [],
    system: "You test.",
    messages,
    ...(pending === undefined ? {} : { pending }),
    messagesRecorded: pending === undefined ? 0 : messages.length,
    firstTurn: pending?.turn ?? 0,
    tools: options.tools ?? [],
    limits: { ...AGENT_LIMITS, ...options.limits },
  };
  const ports: AgentPorts = {
    provider,
    clock,
    record: {
      append: async (...added) => {
        entries.push(...added);
        return ok(undefined);
      },
    },
    spill: async ({ text }) => {
      spilled.push(text);
      return ok(`/spill/${spilled.length}.txt`);
    },
    signal: abort.signal,
    onEvent: (event) => void events.push(event),
  };
  return { spec, ports, provider, clock, entries, events, spilled, abort };
}
