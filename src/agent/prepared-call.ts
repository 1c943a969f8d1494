// A call once its hooks have spoken: what it will run with, or why it will not. Hooks are asked once for each call, whoever needs to know
// first: the announcement of a delegation, or the claim of any other call.

import type { ToolCall } from "../model/message.ts";
import type { BeforeCall, HookRun } from "./call-hooks.ts";
import type { AgentPorts, AgentSpec } from "./spec.ts";

export interface PreparedCall {
  /** With the arguments that it runs with. */
  readonly call: ToolCall;
  readonly hooked: BeforeCall;
  readonly hookMs: number;
  readonly runs: readonly HookRun[];
}

export class PreparedCalls {
  private readonly turn: number;
  private readonly spec: Pick<AgentSpec, "agent" | "parent">;
  private readonly ports: Pick<AgentPorts, "hooks" | "clock" | "signal">;
  private readonly prepared = new Map<number, Promise<PreparedCall>>();

  constructor(
    turn: number,
    spec: Pick<AgentSpec, "agent" | "parent">,
    ports: Pick<AgentPorts, "hooks" | "clock" | "signal">,
  ) {
    this.turn = turn;
    this.spec = spec;
    this.ports = ports;
  }

  /** Its arguments are not malformed. */
  at(index: number, call: ToolCall): Promise<PreparedCall> {
    const known = this.prepared.get(index) ?? this.prepare(index, call);
    this.prepared.set(index, known);
    return known;
  }

  private async prepare(index: number, call: ToolCall): Promise<PreparedCall> {
    const { hooks, clock, signal } = this.ports;
    const given = call.arguments.kind === "parsed" ? call.arguments.value : null;
    const asIs = { kind: "go", input: given, decision: null, context: "" } as const;
    if (hooks === undefined || signal.aborted) return { call, hooked: asIs, hookMs: 0, runs: [] };
    const { agent, parent } = this.spec;
    const fromMs = clock.monotonicMs();
    const { runs, ...hooked } = await hooks.beforeCall({ agent, parent, turn: this.turn, index, call }, signal);
    const hookMs = Math.round(clock.monotonicMs() - fromMs);
    const changed = hooked.kind === "go" && hooked.input !== given;
    const whole = changed ? { ...call, arguments: { kind: "parsed", value: hooked.input } as const } : call;
    return { call: whole, hooked, hookMs, runs };
  }
}
