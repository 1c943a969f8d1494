// The turn loop of one agent: ask the model, run its calls, put the results into the history, ask again.
// The history is valid at every step (each call has one result, in request order) and recorded before the next step is taken.

import { assert, unreachable } from "../base/assert.ts";
import { noContent } from "../model/bad-answer.ts";
import type { Message, ToolCall } from "../model/message.ts";
import type { Usage } from "../model/usage.ts";
import { type Answer, ask } from "./ask.ts";
import { type Response, runCalls } from "./calls.ts";
import { Recorder } from "./recorder.ts";
import { circling } from "./repeats.ts";
import { chargesOf, type RequestReport, WaitWatch } from "./request-report.ts";
import type { PendingCalls } from "./session-load.ts";
import type { AgentEnding, AgentEvent, AgentPorts, AgentResult, AgentSpec, RequestLeave } from "./spec.ts";
import { addRequest, NO_TOTALS, type Totals } from "./totals.ts";

/** Answers in a row that the output limit cut off before any call: then asking again does not help. */
const cutAnswersMax = 3;

/** Runs the agent to its end. Expected failures are endings; rejects only for a bug. */
export async function runAgent(spec: AgentSpec, ports: AgentPorts): Promise<AgentResult> {
  checkSpec(spec);
  return new Run(spec, ports).toEnd();
}

class Run {
  private readonly spec: AgentSpec;
  private readonly ports: AgentPorts;
  private readonly recorder: Recorder;
  private readonly messages: Message[];
  private turn: number;
  private totals: Totals = NO_TOTALS;
  private cutAnswers = 0;
  private outputTokensMax: number;
  private lastUsage: Usage | null = null;

  constructor(spec: AgentSpec, ports: AgentPorts) {
    this.spec = spec;
    this.ports = ports;
    this.recorder = new Recorder(ports.record);
    this.messages = [...spec.messages];
    this.turn = spec.firstTurn;
    this.outputTokensMax = spec.limits.outputTokensMax;
  }

  async toEnd(): Promise<AgentResult> {
    await this.recordStart();
    const { pending } = this.spec;
    const ending = pending === undefined ? null : await this.runLost(pending);
    if (ending !== null) return this.end(ending);
    for (;;) {
      const ending = (await this.mayAsk()) ?? (await this.takeTurn());
      if (ending !== null) return this.end(ending);
    }
  }

  private async recordStart(): Promise<void> {
    const { spec, recorder } = this;
    const { provider, clock } = this.ports;
    const { role, task, system, firstTurn } = spec;
    const tools = spec.tools.map((tool) => tool.spec.name);
    const atMs = clock.now();
    await recorder.write({
      kind: "start",
      atMs,
      role,
      task,
      provider: provider.name,
      scripted: provider.scripted,
      system,
      tools,
      firstTurn,
    });
    await recorder.writeGiven(spec.messages.slice(spec.messagesRecorded), firstTurn, atMs);
  }

  /** Null if the next request may be made, else why the run ends here. */
  private async mayAsk(): Promise<AgentEnding | null> {
    const { limits, firstTurn } = this.spec;
    if (this.recorder.failure !== null) return { kind: "record-failed", error: this.recorder.failure };
    if (this.ports.signal.aborted) return { kind: "cancelled" };
    const reason = circling(this.messages, limits.repeatsMax);
    if (reason !== null) return { kind: "no-progress", reason };
    if (this.turn - firstTurn >= limits.turnsMax) return { kind: "turn-limit", turnsMax: limits.turnsMax };
    const leave = await this.leave();
    if (leave.kind === "stop") return { kind: "budget", reason: leave.reason };
    assert(
      leave.outputTokensMax >= 1 && leave.outputTokensMax <= limits.outputTokensMax,
      "a leave is for 1 token of output up to what was planned",
    );
    this.outputTokensMax = leave.outputTokensMax;
    return this.ports.signal.aborted ? { kind: "cancelled" } : null;
  }

  private async leave(): Promise<RequestLeave> {
    const { system, limits, tools } = this.spec;
    const { outputTokensMax } = limits;
    const { turn, lastUsage } = this;
    const plan = {
      turn: turn + 1,
      system,
      messages: [...this.messages],
      tools: tools.map((tool) => tool.spec),
      outputTokensMax,
      lastUsage,
    };
    return (await this.ports.beforeRequest?.(plan)) ?? { kind: "go", outputTokensMax };
  }

  /** The calls of an answer from before a crash that have no result yet. */
  private runLost({ turn, calls, results: given, cut }: PendingCalls): Promise<AgentEnding | null> {
    // What the limit was then is not in the transcript.
    return this.runCalls({ turn, calls, cutBy: cut ? "the output limit" : null, given });
  }

  private async takeTurn(): Promise<AgentEnding | null> {
    this.turn++;
    const answer = await this.request();
    if (answer.kind === "aborted") return { kind: "cancelled" };
    if (answer.kind === "failed") return { kind: "model-error", error: answer.error };
    const cutBy = answer.stop === "length" ? `the output limit of ${this.outputTokensMax} tokens` : null;
    if (answer.calls.length > 0) return this.runCalls({ turn: this.turn, calls: answer.calls, cutBy });
    return cutBy === null ? { kind: "stopped", text: answer.text } : this.afterCutAnswer(cutBy);
  }

  private async request(): Promise<Answer> {
    const { spec, turn } = this;
    const { provider, clock, signal, afterRequest } = this.ports;
    const { agent, role, task, taskKeys, system } = spec;
    this.emit({ kind: "request-started", turn });
    const startMs = clock.now();
    const startedMs = clock.monotonicMs();
    const request = {
      context: { agent, role, task, taskKeys, turn },
      system,
      messages: [...this.messages],
      tools: spec.tools.map((tool) => tool.spec),
      outputTokensMax: this.outputTokensMax,
    };
    const waits = new WaitWatch(clock);
    const { answer, attempts, charges } = await ask(provider, request, signal, {
      onText: (text) => this.emit({ kind: "text", turn, text }),
      onAttempt: (attempt) => {
        waits.see(attempt);
        this.emit({ kind: "attempt", turn, attempt });
      },
    });
    const report: RequestReport = {
      turn,
      provider: provider.name,
      scripted: provider.scripted,
      outcome: answer.kind === "whole" ? answer.stop : answer.kind === "failed" ? "error" : "aborted",
      error: answer.kind === "failed" ? answer.error : null,
      ...chargesOf(charges, provider.price),
      attempts,
      startMs,
      endMs: clock.now(),
      durationMs: Math.round(clock.monotonicMs() - startedMs),
      waitedMs: Math.round(waits.totalMs()),
    };
    this.totals = addRequest(this.totals, report.charges);
    this.emit({ kind: "request-ended", turn, report });
    if (answer.kind === "whole") this.lastUsage = report.charges.at(-1)?.usage ?? null;
    await this.recordAnswer(report, answer);
    await afterRequest?.(report, this.recorder.failure);
    return answer;
  }

  /** Request and answer are one write, before the bill and before any call: an answer that was paid for is not asked again. */
  private async recordAnswer(report: RequestReport, answer: Answer): Promise<void> {
    const { turn } = this;
    // A text that says nothing is no message: providers refuse it in a history.
    const says = answer.kind === "whole" && (answer.text !== "" || answer.calls.length > 0);
    if (!says) return this.recorder.write({ kind: "request", report });
    const message = { role: "assistant", text: answer.text, calls: answer.calls } as const;
    this.messages.push(message);
    return this.recorder.write(
      { kind: "request", report },
      { kind: "message", turn, atMs: this.ports.clock.now(), message },
    );
  }

  private async runCalls(response: Response): Promise<AgentEnding | null> {
    this.cutAnswers = 0;
    const { results, ended } = await runCalls(response, this.spec, this.ports, this.recorder);
    this.messages.push({ role: "tool", results });
    return ended === null ? null : { kind: "ended", value: ended.value };
  }

  private async afterCutAnswer(limit: string): Promise<AgentEnding | null> {
    this.cutAnswers++;
    if (this.cutAnswers >= cutAnswersMax) {
      const message = `${cutAnswersMax} answers in a row reached ${limit} before any tool call`;
      return { kind: "model-error", error: noContent(message) };
    }
    await this.say({
      role: "user",
      text: `Your last answer was cut off at ${limit}. Go on from there, in shorter answers.`,
    });
    return null;
  }

  private async say(message: Exclude<Message, { role: "tool" }>): Promise<void> {
    this.messages.push(message);
    await this.recorder.write({ kind: "message", turn: this.turn, atMs: this.ports.clock.now(), message });
  }

  private async end(ending: AgentEnding): Promise<AgentResult> {
    await this.recorder.write({
      kind: "end",
      turn: this.turn,
      atMs: this.ports.clock.now(),
      outcome: ending.kind,
      detail: detailOf(ending),
    });
    this.emit({ kind: "ended", turn: this.turn, outcome: ending.kind });
    const { messages, turn, totals } = this;
    return { ...ending, messages, requests: turn - this.spec.firstTurn, turn, totals };
  }

  private emit(event: AgentEvent): void {
    this.ports.onEvent?.(event);
  }
}

/** The ending in a few words for the transcript. */
function detailOf(ending: AgentEnding): string {
  switch (ending.kind) {
    case "model-error":
      return `${ending.error.code}: ${ending.error.message}`;
    case "no-progress":
    case "budget":
      return ending.reason;
    case "turn-limit":
      return `${ending.turnsMax} requests`;
    case "record-failed":
      return ending.error.message;
    case "ended":
    case "stopped":
    case "cancelled":
      return "";
    default:
      return unreachable(ending);
  }
}

function checkSpec(spec: AgentSpec): void {
  const { messages, messagesRecorded, pending, tools, limits } = spec;
  assert(limits.repeatsMax >= 2, "once is not a repetition: repeatsMax is at least 2");
  assert(
    messagesRecorded >= 0 && messagesRecorded <= messages.length,
    "messagesRecorded counts messages of the history",
  );
  assert(new Set(tools.map((tool) => tool.spec.name)).size === tools.length, "tools have different names");
  const last = messages.at(-1);
  assert(
    last !== undefined && (last.role === "assistant") === (pending !== undefined),
    "a history to go on from ends with a user message, with results, or with an answer whose calls are pending",
  );
  if (pending !== undefined && last.role === "assistant") checkPending(pending, last.calls);
  assert(
    pending === undefined || messagesRecorded === messages.length,
    "pending calls are those of an answer that is recorded",
  );
  for (const [index, message] of messages.entries()) {
    const before = messages[index - 1];
    const asked = before?.role === "assistant" ? before.calls.map((call) => call.id) : [];
    const given = message.role === "tool" ? message.results.map((result) => result.callId) : [];
    assert(asked.join("\n") === given.join("\n"), "each call of a history has one result, in request order");
  }
}

function checkPending({ calls, results }: PendingCalls, asked: readonly ToolCall[]): void {
  const ids = (of: readonly ToolCall[]) => of.map((call) => call.id).join("\n");
  assert(calls.length > 0 && ids(calls) === ids(asked), "pending calls are those of the last answer");
  for (const [index, result] of results)
    assert(calls[index]?.id === result.callId, "a result that stands is that of the call in its place");
}
