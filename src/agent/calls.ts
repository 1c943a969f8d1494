// Runs the calls of one response: each gets exactly one result, in request order, whatever its tool does.
// Results are recorded in request order too, each as soon as those before it are.

import { orAborted } from "../base/abort.ts";
import { assert, unreachable } from "../base/assert.ts";
import type { Clock } from "../host/clock.ts";
import type { ToolCall, ToolResult } from "../model/message.ts";
import type { Figure } from "../model/usage.ts";
import { capResult } from "./cap.ts";
import type { Recorder } from "./recorder.ts";
import { callsAtOnceMax, runTogether, stages } from "./schedule.ts";
import type { CallOutcome } from "./session-entry.ts";
import type { AgentPorts, AgentSpec } from "./spec.ts";
import type { Tool, ToolAnswer } from "./tool.ts";

/** After an abort a tool has this long to stop and answer; then its call is answered without it. */
const cancelGraceMs = 5_000;

export interface Response {
  readonly turn: number;
  readonly calls: readonly ToolCall[];
  /** The output limit, in words, where it cut the answer off: a malformed call is then a cut one. */
  readonly cutBy: string | null;
  /** By place: results that stand from before a crash, and are recorded. */
  readonly given?: ReadonlyMap<number, ToolResult>;
}

export interface CallResults {
  readonly results: readonly ToolResult[];
  /** Set when a call ended the run; the first in request order counts. */
  readonly ended: { readonly value: unknown } | null;
}

export async function runCalls(
  response: Response,
  spec: AgentSpec,
  ports: AgentPorts,
  recorder: Recorder,
): Promise<CallResults> {
  const batch = new Batch(response, spec, ports, recorder);
  // A call that is refused has no effect: it need not keep the reads around it apart.
  const effects = response.calls.map((call) => batch.toolOf(call)?.effect ?? "read");
  for (const stage of stages(effects)) await runTogether(stage, callsAtOnceMax, (index) => batch.run(index));
  return batch.finish();
}

interface Settled {
  readonly result: ToolResult;
  readonly outcome: CallOutcome;
  readonly startMs: Figure;
  readonly endMs: Figure;
  readonly ended: { readonly value: unknown } | null;
}

class Batch {
  private readonly response: Response;
  private readonly spec: AgentSpec;
  private readonly ports: AgentPorts;
  private readonly recorder: Recorder;
  private readonly queuedMs: number;
  private readonly settled: (Settled | undefined)[] = [];
  private recorded = 0;

  constructor(response: Response, spec: AgentSpec, ports: AgentPorts, recorder: Recorder) {
    this.response = response;
    this.spec = spec;
    this.ports = ports;
    this.recorder = recorder;
    this.queuedMs = ports.clock.now();
  }

  /** The tool that the call will run; null where the call is refused. */
  toolOf(call: ToolCall): Tool | null {
    if (call.arguments.kind === "malformed") return null;
    return this.spec.tools.find((tool) => tool.spec.name === call.name) ?? null;
  }

  async run(index: number): Promise<void> {
    const call = this.response.calls[index];
    assert(call !== undefined, "a stage names calls of its response");
    const given = this.response.given?.get(index);
    if (given !== undefined) {
      this.settled[index] = { result: given, outcome: "ok", startMs: "unavailable", endMs: "unavailable", ended: null };
      return this.recordPrefix();
    }
    const settled = await this.settle(call);
    this.settled[index] = settled;
    this.ports.onEvent?.({
      kind: "call-ended",
      turn: this.response.turn,
      result: settled.result,
      outcome: settled.outcome,
    });
    await this.recordPrefix();
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
    };
  }

  private async settle(call: ToolCall): Promise<Settled> {
    if (this.ports.signal.aborted) return this.unstarted(call, "cancelled", "cancelled: the call was not started");
    if (this.settled.some((one) => one?.ended)) {
      return this.unstarted(call, "skipped", "not run: an earlier call of this answer ended the session");
    }
    if (this.recorder.failure !== null)
      return this.unstarted(call, "skipped", "not run: the session could not be recorded");
    if (call.arguments.kind === "malformed")
      return this.unstarted(call, "refused", this.malformedText(call.arguments.text));
    const tool = this.toolOf(call);
    if (tool === null) return this.unstarted(call, "refused", this.unknownText(call.name));
    return this.runTool(call, tool, call.arguments.value);
  }

  private async runTool(call: ToolCall, tool: Tool, input: unknown): Promise<Settled> {
    const { clock, signal } = this.ports;
    this.ports.onEvent?.({ kind: "call-started", turn: this.response.turn, call });
    const startMs = clock.now();
    const work = this.guarded(call, tool, input);
    const { outcome, text, ended } = await answerInTime(work, signal, clock);
    const endMs = clock.now();
    const save = (full: string) => this.ports.spill({ agent: this.spec.agent, callId: call.id, text: full });
    const capped = await capResult(text, this.spec.limits.resultCharsMax, save);
    const isError = outcome !== "ok" && outcome !== "ended";
    return { result: { callId: call.id, name: call.name, text: capped, isError }, outcome, startMs, endMs, ended };
  }

  /** A tool that throws is a bug of ours: the model is told so, and the event carries the stack to whoever watches. */
  private async guarded(call: ToolCall, tool: Tool, input: unknown): Promise<ToolAnswered> {
    try {
      return answered(await tool.run(input, { agent: this.spec.agent, callId: call.id, signal: this.ports.signal }));
    } catch (thrown) {
      const message = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
      this.ports.onEvent?.({ kind: "internal-error", turn: this.response.turn, call, message });
      const brief = thrown instanceof Error ? thrown.message : String(thrown);
      const text = `internal error in ${call.name}: ${brief}\nThis is a fault of the tool, not of your call. It may or may not have taken effect.`;
      return { outcome: "internal-error", text, ended: null };
    }
  }

  private unstarted(call: ToolCall, outcome: CallOutcome, text: string): Settled {
    const result = { callId: call.id, name: call.name, text, isError: true };
    return { result, outcome, startMs: "unavailable", endMs: "unavailable", ended: null };
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
    let written: Promise<void> = Promise.resolve();
    for (let one = this.settled[this.recorded]; one !== undefined; one = this.settled[this.recorded]) {
      const { result, outcome, startMs, endMs } = one;
      const index = this.recorded++;
      if (this.response.given?.has(index) === true) continue;
      written = this.recorder.write({
        kind: "result",
        turn,
        index,
        result,
        outcome,
        queuedMs: this.queuedMs,
        startMs,
        endMs,
      });
    }
    await written;
  }
}

interface ToolAnswered {
  readonly outcome: CallOutcome;
  readonly text: string;
  readonly ended: { readonly value: unknown } | null;
}

function answered(answer: ToolAnswer): ToolAnswered {
  switch (answer.kind) {
    case "text":
      return { outcome: "ok", text: answer.text, ended: null };
    case "error":
      return { outcome: "error", text: answer.text, ended: null };
    case "fault":
      return { outcome: "fault", text: answer.text, ended: null };
    case "cancelled":
      return { outcome: "cancelled", text: answer.text, ended: null };
    case "end":
      return { outcome: "ended", text: answer.text, ended: { value: answer.value } };
    default:
      return unreachable(answer);
  }
}

/** The tool's own answer wherever it gives one, also after an abort: what was done is not reported as undone. */
async function answerInTime(work: Promise<ToolAnswered>, signal: AbortSignal, clock: Clock): Promise<ToolAnswered> {
  const first = await orAborted(work, signal);
  if (first.kind === "value") return first.value;
  const { promise: late, resolve } = Promise.withResolvers<ToolAnswered>();
  const text = "cancelled: the tool was told to stop and did not answer in time. It may or may not have taken effect.";
  const timer = clock.after(cancelGraceMs, () => resolve({ outcome: "cancelled", text, ended: null }));
  try {
    return await Promise.race([work, late]);
  } finally {
    timer.cancel();
  }
}
