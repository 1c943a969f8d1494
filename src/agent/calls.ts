// Runs the calls of one response: each gets exactly one result, in request order, whatever its tool does.
// Results are recorded in request order too, each as soon as those before it are.

import { assert } from "../base/assert.ts";
import type { Message, ToolCall, ToolResult } from "../model/message.ts";
import { resultCharsFor } from "./cap.ts";
import { CLAIMS_NOTHING, type Claim, claimOf } from "./claim.ts";
import { PreparedCalls } from "./prepared-call.ts";
import type { Recorder } from "./recorder.ts";
import { runCall, type Settled, unstarted } from "./run-call.ts";
import { runInOrder, type ScheduledCall } from "./schedule.ts";
import type { AgentPorts, AgentSpec } from "./spec.ts";
import type { AnnouncedCall, Tool } from "./tool.ts";
import { type TreeLocks, treeLocks } from "./tree-locks.ts";

export interface Response {
  readonly turn: number;
  readonly calls: readonly ToolCall[];
  /** The output limit, in words, where it cut the answer off: a malformed call is then a cut one. */
  readonly cutBy: string | null;
  /** By place: results that stand from before a crash, and are recorded. */
  readonly given?: ReadonlyMap<number, ToolResult>;
  /** The calls are made again after a crash. */
  readonly resumed?: boolean;
  /** The history up to and with the answer that makes the calls. */
  readonly conversation: readonly Message[];
}

export interface CallResults {
  readonly results: readonly ToolResult[];
  /** Set when a call ended the run; the first in request order counts. */
  readonly ended: { readonly value: unknown } | null;
  /** Why a hook wants the agent to end; null where none does. */
  readonly hookEnd: string | null;
}

export async function runCalls(
  response: Response,
  spec: AgentSpec,
  ports: AgentPorts,
  recorder: Recorder,
): Promise<CallResults> {
  const batch = new Batch(response, spec, ports, recorder);
  await batch.announce();
  await runInOrder(batch.scheduled(), spec.limits.callsAtOnceMax);
  return batch.finish();
}

class Batch {
  private readonly response: Response;
  private readonly spec: AgentSpec;
  private readonly ports: AgentPorts;
  private readonly locks: TreeLocks;
  private readonly recorder: Recorder;
  private readonly prepared: PreparedCalls;
  private readonly queuedMs: number;
  private readonly queuedMonotonicMs: number;
  private readonly settled: (Settled | undefined)[] = [];
  private recorded = 0;

  constructor(response: Response, spec: AgentSpec, ports: AgentPorts, recorder: Recorder) {
    this.response = response;
    this.spec = spec;
    this.ports = ports;
    this.locks = ports.locks ?? treeLocks();
    this.recorder = recorder;
    this.prepared = new PreparedCalls(response.turn, spec, ports);
    this.queuedMs = ports.clock.now();
    this.queuedMonotonicMs = ports.clock.monotonicMs();
  }

  /** Before anything runs, and in request order: what is numbered gets its number here. What hooks refuse gets none. */
  async announce(): Promise<void> {
    const announcing = this.response.calls.flatMap((call, index) => {
      const tool = this.toolOf(call, index);
      return tool?.announce === undefined ? [] : [{ index, call, tool, prepared: this.prepared.at(index, call) }];
    });
    for (const { index, call, tool, prepared } of announcing) {
      const { hooked } = await prepared;
      if (this.ports.signal.aborted) return;
      if (hooked.kind === "go") await tool.announce?.(hooked.input, this.announced(call, index));
    }
  }

  scheduled(): readonly ScheduledCall[] {
    return this.response.calls.map((call, index): ScheduledCall => {
      const tool = this.toolOf(call, index);
      let claim: Claim = CLAIMS_NOTHING;
      return {
        // A call that is refused has no effect: it need not keep the reads around it apart.
        effect: tool?.effect ?? "read",
        looksFirst: tool?.effect === "write" && this.ports.hooks?.looksAtCalls === true,
        claim: async () => {
          if (tool === null || this.mayNotStart() !== null) return claim;
          const { call: prepared, hooked } = await this.prepared.at(index, call);
          if (hooked.kind === "go") claim = await claimed(tool, prepared);
          return claim;
        },
        run: () => this.run(index, claim),
      };
    });
  }

  finish(): CallResults {
    const settled = this.response.calls.map((_call, index) => {
      const one = this.settled[index];
      assert(one !== undefined, "every call has a result");
      return one;
    });
    return {
      results: settled.map((one) => one.result),
      ended: settled.find((one) => one.ended !== null)?.ended ?? null,
      hookEnd: settled.find((one) => one.hookEnd !== null)?.hookEnd ?? null,
    };
  }

  /** The tool that the call will run; null where it runs none. */
  private toolOf(call: ToolCall, index: number): Tool | null {
    if (call.arguments.kind === "malformed" || this.response.given?.has(index) === true) return null;
    return this.spec.tools.find((tool) => tool.spec.name === call.name) ?? null;
  }

  private announced(call: ToolCall, index: number): AnnouncedCall {
    return { agent: this.spec.agent, callId: call.id, turn: this.response.turn, index };
  }

  private async run(index: number, claim: Claim): Promise<void> {
    const call = this.response.calls[index];
    assert(call !== undefined, "a schedule names calls of its response");
    const given = this.response.given?.get(index);
    if (given !== undefined) {
      this.settled[index] = { ...unstarted(call, "ok", ""), result: given };
      return this.recordPrefix();
    }
    const settled = await this.settle(call, index, claim);
    this.settled[index] = settled;
    this.toolOf(call, index)?.settled?.(this.announced(call, index));
    const { result, outcome } = settled;
    this.ports.onEvent?.({ kind: "call-ended", turn: this.response.turn, result, outcome });
    await this.recordPrefix();
  }

  private async settle(call: ToolCall, index: number, claim: Claim): Promise<Settled> {
    const { spec, ports, locks, recorder } = this;
    const { turn, resumed = false, conversation } = this.response;
    const reason = this.mayNotStart();
    if (reason !== null) return unstarted(call, ...reason);
    if (call.arguments.kind === "malformed") return unstarted(call, "refused", this.malformedText(call.arguments.text));
    const tool = this.toolOf(call, index);
    if (tool === null) return unstarted(call, "refused", this.unknownText(call.name));
    const prepared = await this.prepared.at(index, call);
    const resultCharsMax = resultCharsFor(spec.limits, this.response.calls.length);
    const { queuedMonotonicMs } = this;
    const given = { turn, index, prepared, tool, claim, resumed, conversation, queuedMonotonicMs };
    return runCall({ spec, ports, locks, recorder, ...given, resultCharsMax });
  }

  /** As what and why a call of this response is not begun any more; null while it may be. */
  private mayNotStart(): readonly [outcome: "cancelled" | "skipped", text: string] | null {
    if (this.ports.signal.aborted) return ["cancelled", "cancelled: the call was not started"];
    if (this.settled.some((one) => one?.ended))
      return ["skipped", "not run: an earlier call of this answer ended the session"];
    if (this.settled.some((one) => typeof one?.hookEnd === "string"))
      return ["skipped", "not run: a hook ended the session after an earlier call of this answer"];
    return this.recorder.failure === null ? null : ["skipped", "not run: the session could not be recorded"];
  }

  private malformedText(text: string): string {
    const shown = text.length > 200 ? `${text.slice(0, 200)}…` : text;
    const { cutBy } = this.response;
    return cutBy === null
      ? `not run: the arguments are not valid JSON: ${shown}`
      : `not run: your answer reached ${cutBy} and this call was cut off. Send it again in smaller pieces.`;
  }

  private unknownText(name: string): string {
    const names = this.spec.tools.map((tool) => tool.spec.name).join(", ");
    return `not run: there is no tool "${name}". The tools are: ${names}`;
  }

  private async recordPrefix(): Promise<void> {
    const { turn } = this.response;
    const { queuedMs } = this;
    let written: Promise<void> = Promise.resolve();
    for (let one = this.settled[this.recorded]; one !== undefined; one = this.settled[this.recorded]) {
      const { result, outcome, gateMs, startMs, endMs, spent } = one;
      const { approvalMs } = spent;
      const index = this.recorded++;
      if (this.response.given?.has(index) === true) continue;
      const entry = { turn, index, result, outcome, queuedMs, gateMs, approvalMs, startMs, endMs };
      written = this.recorder.write({ kind: "result", ...entry });
      this.trace(index, one);
    }
    await written;
  }

  private trace(index: number, { result, outcome, startMs, endMs, spent, hooks }: Settled): void {
    const { agent, parent } = this.spec;
    const { callId, name } = result;
    const times = { queuedAtMs: this.queuedMs, startedAtMs: startMs, endedAtMs: endMs, spent };
    const { turn } = this.response;
    this.ports.trace?.call({ agent, parent }, { turn, index, callId, name, outcome, ...times, hooks });
  }
}

/** A claim that fails is a bug of the tool's: its call then runs alone, and says what is wrong by itself. */
async function claimed(tool: Tool, call: ToolCall): Promise<Claim> {
  const input = call.arguments.kind === "parsed" ? call.arguments.value : null;
  try {
    return (await tool.claim?.(input)) ?? claimOf(tool.effect);
  } catch {
    return { kind: "exclusive" };
  }
}
