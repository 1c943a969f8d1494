// One call from its gate to its result: asks the gate, takes the tree's lock, runs the tool, caps what it says. Answers exactly once
// whatever the tool does, and never starts one after an abort.

import { orAborted } from "../base/abort.ts";
import { unreachable } from "../base/assert.ts";
import { cleanText } from "../base/text.ts";
import type { Clock } from "../host/clock.ts";
import type { Message, ToolCall, ToolResult } from "../model/message.ts";
import type { Figure } from "../model/usage.ts";
import type { GatedCall } from "./call-gate.ts";
import { capResult } from "./cap.ts";
import type { Claim } from "./claim.ts";
import type { Recorder } from "./recorder.ts";
import type { CallOutcome } from "./session-entry.ts";
import type { AgentPorts, AgentSpec } from "./spec.ts";
import type { Tool, ToolAnswer, ToolContext } from "./tool.ts";
import type { TreeLocks } from "./tree-locks.ts";

/** After an abort a tool has this long to stop and answer; then its call is answered without it. */
const cancelGraceMs = 5_000;
/** The same for a call that waits for other agents: their tools have their own time first. */
const delegateGraceMs = 2 * cancelGraceMs;
const refusalCharsMax = 2_000;

export interface CallSetup {
  readonly spec: AgentSpec;
  readonly ports: AgentPorts;
  readonly locks: TreeLocks;
  readonly recorder: Recorder;
  readonly turn: number;
  readonly index: number;
  readonly call: ToolCall;
  readonly tool: Tool;
  readonly input: unknown;
  readonly claim: Claim;
  readonly resumed: boolean;
  readonly conversation: readonly Message[];
  readonly resultCharsMax: number;
}

export interface Settled {
  readonly result: ToolResult;
  readonly outcome: CallOutcome;
  /** Milliseconds in hooks and approvals before it. */
  readonly gateMs: number;
  readonly startMs: Figure;
  readonly endMs: Figure;
  readonly ended: { readonly value: unknown } | null;
}

export async function runCall(setup: CallSetup): Promise<Settled> {
  const { call, claim, locks, ports } = setup;
  const { signal } = ports;
  const gate = await passGate(setup);
  if (gate.refusal !== null) return unstarted(call, "refused", `not run: ${gate.refusal}`, gate.ms);
  const lock = await locks.acquire(claim, signal);
  if (lock === null || signal.aborted) {
    lock?.release();
    return unstarted(call, "cancelled", "cancelled: the call was not started", gate.ms);
  }
  return runLocked(setup, gate.ms, () => lock.release());
}

/** A call that has a result and did not run. */
export function unstarted(call: ToolCall, outcome: CallOutcome, text: string, gateMs = 0): Settled {
  const result = { callId: call.id, name: call.name, text, isError: true };
  return { result, outcome, gateMs, startMs: "unavailable", endMs: "unavailable", ended: null };
}

async function passGate(setup: CallSetup): Promise<{ readonly ms: number; readonly refusal: string | null }> {
  const { gate, clock, signal } = setup.ports;
  if (gate === undefined) return { ms: 0, refusal: null };
  const fromMs = clock.monotonicMs();
  const asked = await orAborted(gate.before(gated(setup), signal), signal);
  const ms = Math.round(clock.monotonicMs() - fromMs);
  const refused = asked.kind === "value" && asked.value.kind === "refuse" ? asked.value.reason : null;
  return { ms, refusal: refused === null || signal.aborted ? null : cleanText(refused, refusalCharsMax) };
}

function gated({ spec, turn, index, call }: CallSetup): GatedCall {
  return { agent: spec.agent, parent: spec.parent, turn, index, call };
}

async function runLocked(setup: CallSetup, gateMs: number, release: () => void): Promise<Settled> {
  const { spec, ports, recorder, turn, index, call, tool } = setup;
  const { clock } = ports;
  ports.onEvent?.({ kind: "call-started", turn, call });
  const startMs = clock.now();
  // Calls that only read may be made again without harm: they need no line of their own.
  if (tool.effect !== "read")
    await recorder.callStarted({ turn, index, callId: call.id, name: call.name, atMs: startMs });
  const aborting = abortable(setup);
  const work = guarded(setup, aborting.signal);
  // Also where nobody waits for the tool any more: as long as it may write, nobody else does.
  void work.finally(release);
  const graceMs = tool.effect === "delegate" ? delegateGraceMs : cancelGraceMs;
  const { outcome, text, ended } = await answerInTime(work, aborting.signal, { clock, graceMs });
  aborting.end();
  const endMs = clock.now();
  const save = (full: string) => ports.spill({ agent: spec.agent, callId: call.id, text: full });
  const capped = await capResult(text, setup.resultCharsMax, save);
  const isError = outcome !== "ok" && outcome !== "ended";
  const result = { callId: call.id, name: call.name, text: capped, isError };
  await ports.gate?.after(gated(setup), result, outcome);
  return { result, outcome, gateMs, startMs, endMs, ended };
}

/** Aborts with the agent, and when a person cancels this call alone. */
function abortable({ spec, ports, call }: CallSetup): { readonly signal: AbortSignal; end(): void } {
  const own = new AbortController();
  const abort = () => own.abort();
  if (ports.signal.aborted) abort();
  ports.signal.addEventListener("abort", abort, { once: true });
  const forget = ports.running?.add(spec.agent, call.id, abort);
  return {
    signal: own.signal,
    end: () => {
      ports.signal.removeEventListener("abort", abort);
      forget?.();
    },
  };
}

/** A tool that throws is a bug of ours: the model is told so, and the event carries the stack to whoever watches. */
async function guarded(setup: CallSetup, signal: AbortSignal): Promise<ToolAnswered> {
  const { spec, ports, turn, index, call, tool, input, resumed, conversation } = setup;
  const { agent, parent } = spec;
  const context: ToolContext = { agent, parent, callId: call.id, turn, index, resumed, conversation, signal };
  try {
    return answered(await tool.run(input, context));
  } catch (thrown) {
    const message = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
    ports.onEvent?.({ kind: "internal-error", turn, call, message });
    const brief = thrown instanceof Error ? thrown.message : String(thrown);
    const text = `internal error in ${call.name}: ${brief}\nThis is a fault of the tool, not of your call. It may or may not have taken effect.`;
    return { outcome: "internal-error", text, ended: null };
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
async function answerInTime(
  work: Promise<ToolAnswered>,
  signal: AbortSignal,
  { clock, graceMs }: { readonly clock: Clock; readonly graceMs: number },
): Promise<ToolAnswered> {
  const first = await orAborted(work, signal);
  if (first.kind === "value") return first.value;
  const { promise: late, resolve } = Promise.withResolvers<ToolAnswered>();
  const text = "cancelled: the tool was told to stop and did not answer in time. It may or may not have taken effect.";
  const timer = clock.after(graceMs, () => resolve({ outcome: "cancelled", text, ended: null }));
  try {
    return await Promise.race([work, late]);
  } finally {
    timer.cancel();
  }
}
