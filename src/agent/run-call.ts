// One call from its gate to its result: asks the gate, takes the tree's lock, runs the tool, caps what it says. Answers exactly once
// whatever the tool does, and never starts one after an abort.

import { orAborted } from "../base/abort.ts";
import { unreachable } from "../base/assert.ts";
import { cleanText } from "../base/text.ts";
import type { Clock } from "../host/clock.ts";
import type { Message, ToolCall, ToolResult } from "../model/message.ts";
import type { Figure } from "../model/usage.ts";
import type { GatedCall } from "./call-gate.ts";
import type { AfterCall, HookRun } from "./call-hooks.ts";
import { capResult } from "./cap.ts";
import type { Claim } from "./claim.ts";
import type { PreparedCall } from "./prepared-call.ts";
import type { Recorder } from "./recorder.ts";
import type { CallOutcome } from "./session-entry.ts";
import type { AgentPorts, AgentSpec } from "./spec.ts";
import type { Tool, ToolAnswer, ToolContext } from "./tool.ts";
import type { CallTimes } from "./trace.ts";
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
  readonly prepared: PreparedCall;
  readonly tool: Tool;
  readonly claim: Claim;
  readonly resumed: boolean;
  readonly conversation: readonly Message[];
  readonly resultCharsMax: number;
  /** When its response was whole, on the monotonic clock. */
  readonly queuedMonotonicMs: number;
}

export interface Settled {
  readonly result: ToolResult;
  readonly outcome: CallOutcome;
  /** Milliseconds in hooks and approvals before it. */
  readonly gateMs: number;
  readonly startMs: Figure;
  readonly endMs: Figure;
  readonly ended: { readonly value: unknown } | null;
  /** Why a hook wants the agent to end; null where none does. */
  readonly hookEnd: string | null;
  readonly spent: CallTimes;
  readonly hooks: readonly HookRun[];
}

export async function runCall(setup: CallSetup): Promise<Settled> {
  const { prepared, claim, locks, ports } = setup;
  const { signal } = ports;
  const { call, hooked, hookMs, runs } = prepared;
  const cancelled = ["cancelled", "cancelled: the call was not started"] as const;
  if (signal.aborted) return unstarted(call, ...cancelled, { hookMs, hooks: runs });
  if (hooked.kind !== "go") {
    const reason = `not run: a hook refused it: ${cleanText(hooked.reason, refusalCharsMax)}`;
    const hookEnd = hooked.kind === "end" ? hooked.reason : null;
    return unstarted(call, "refused", reason, { hookMs, hooks: runs, hookEnd });
  }
  const gate = await passGate(setup);
  const passed = { hookMs, hooks: runs, approvalMs: gate.ms };
  if (gate.refusal !== null) return unstarted(call, "refused", `not run: ${gate.refusal}`, passed);
  const lock = await locks.acquire(claim, signal);
  if (lock === null || signal.aborted) {
    lock?.release();
    return unstarted(call, ...cancelled, passed);
  }
  return runLocked(setup, gate.ms, () => lock.release());
}

interface Unstarted {
  readonly hookMs?: number;
  readonly approvalMs?: number;
  readonly hooks?: readonly HookRun[];
  readonly hookEnd?: string | null;
}

/** A call that has a result and did not run. */
export function unstarted(
  call: ToolCall,
  outcome: CallOutcome,
  text: string,
  { hookMs = 0, approvalMs = 0, hooks = [], hookEnd = null }: Unstarted = {},
): Settled {
  const result = { callId: call.id, name: call.name, text, isError: true };
  const spent = { waitingMs: "unavailable", hookMs, approvalMs, executionMs: "unavailable" } as const;
  const never = { startMs: "unavailable", endMs: "unavailable", ended: null } as const;
  return { result, outcome, gateMs: hookMs + approvalMs, ...never, hookEnd, spent, hooks };
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

function gated({ spec, turn, index, prepared }: CallSetup): GatedCall {
  const { call, hooked } = prepared;
  const hook = hooked.kind === "go" ? hooked.decision : null;
  return { agent: spec.agent, parent: spec.parent, turn, index, call, hook };
}

async function runLocked(setup: CallSetup, approvalMs: number, release: () => void): Promise<Settled> {
  const { spec, ports, recorder, turn, index, prepared, tool } = setup;
  const { call, hookMs } = prepared;
  const { clock } = ports;
  ports.onEvent?.({ kind: "call-started", turn, call });
  const startMs = clock.now();
  const startedMs = clock.monotonicMs();
  // Calls that only read may be made again without harm: they need no line of their own.
  if (tool.effect !== "read")
    await recorder.callStarted({ turn, index, callId: call.id, name: call.name, atMs: startMs });
  const aborting = abortable(setup);
  const work = guarded(setup, aborting.signal);
  const { promise: afterwards, resolve: over } = Promise.withResolvers<void>();
  // Also where nobody waits for the tool any more: as long as it, or a hook after it, may write, nobody else does.
  void Promise.allSettled([work, afterwards]).then(release);
  const graceMs = tool.effect === "delegate" ? delegateGraceMs : cancelGraceMs;
  const { outcome, text, ended } = await answerInTime(work, aborting.signal, { clock, graceMs });
  aborting.end();
  const endMs = clock.now();
  const executionMs = Math.round(clock.monotonicMs() - startedMs);
  const save = (full: string) => ports.spill({ agent: spec.agent, callId: call.id, text: full });
  const capped = await capResult(text, setup.resultCharsMax, save);
  const isError = outcome !== "ok" && outcome !== "ended";
  const result = { callId: call.id, name: call.name, text: capped, isError };
  await ports.gate?.after(gated(setup), result, outcome);
  const after = await hooksAfter(setup, { result, outcome, durationMs: executionMs });
  over();
  const waitingMs = Math.max(0, Math.round(startedMs - setup.queuedMonotonicMs) - hookMs - approvalMs);
  return {
    result: withContext(setup, result, after),
    outcome,
    gateMs: hookMs + approvalMs,
    startMs,
    endMs,
    ended,
    hookEnd: after.end,
    spent: { waitingMs, hookMs: hookMs + after.ms, approvalMs, executionMs },
    hooks: [...prepared.runs, ...after.runs],
  };
}

interface HookedAfter extends AfterCall {
  readonly runs: readonly HookRun[];
  readonly ms: number;
}

async function hooksAfter(
  { spec, ports, turn, index, prepared }: CallSetup,
  ran: { readonly result: ToolResult; readonly outcome: CallOutcome; readonly durationMs: number },
): Promise<HookedAfter> {
  const { hooks, clock, signal } = ports;
  if (hooks === undefined || signal.aborted) return { context: "", end: null, runs: [], ms: 0 };
  const { agent, parent } = spec;
  const fromMs = clock.monotonicMs();
  const after = await hooks.afterCall({ agent, parent, turn, index, call: prepared.call }, ran, signal);
  return { ...after, ms: Math.round(clock.monotonicMs() - fromMs) };
}

/** What hooks said of the call stands below what it answered. */
function withContext({ prepared }: CallSetup, result: ToolResult, after: AfterCall): ToolResult {
  const before = prepared.hooked.kind === "go" ? prepared.hooked.context : "";
  const said = [before, after.context].filter((text) => text !== "");
  return said.length === 0 ? result : { ...result, text: [result.text, ...said].join("\n\n") };
}

/** Aborts with the agent, and when a person cancels this call alone. */
function abortable({ spec, ports, prepared: { call } }: CallSetup): { readonly signal: AbortSignal; end(): void } {
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
  const { spec, ports, turn, index, prepared, tool, resumed, conversation } = setup;
  const { agent, parent } = spec;
  const { call } = prepared;
  const input = call.arguments.kind === "parsed" ? call.arguments.value : null;
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
