// The turn loop of one agent: ask the model, run its calls, put the results into the history, ask again.
// The history is valid at every step (each call has one result, in request order) and recorded before the next step is taken.

import { assert, unreachable } from "../base/assert.ts";
import { noContent } from "../model/bad-answer.ts";
import type { Message } from "../model/message.ts";
import type { ModelError } from "../model/provider.ts";
import type { Usage } from "../model/usage.ts";
import type { Answer } from "./ask.ts";
import { askTurn, unheard } from "./asker.ts";
import { type Response, runCalls } from "./calls.ts";
import { checkSpec } from "./check-spec.ts";
import { compactedHistory, summaryMessages } from "./compacted-history.ts";
import { inputTokensMax, mayShrink, splitHistory, windowTooSmall } from "./compaction.ts";
import { type Context, contextTokens, fixedTokensMin, messageTokens } from "./context-size.ts";
import { overflowShare, saysTooLong } from "./overflow.ts";
import { Recorder } from "./recorder.ts";
import { circling } from "./repeats.ts";
import type { RequestReport } from "./request-report.ts";
import type { PendingCalls } from "./session-history.ts";
import type { AgentEnding, AgentEvent, AgentPorts, AgentResult, AgentSpec, RequestLeave } from "./spec.ts";
import { addRequest, NO_TOTALS, type Totals } from "./totals.ts";

/** Of the room for input, by which the context grows before the next compaction where the last one left it full. */
const growthShare = 0.2;

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
  private messages: Message[];
  private turn: number;
  private totals: Totals = NO_TOTALS;
  private cutAnswers = 0;
  private outputTokensMax: number;
  private lastUsage: Usage | null = null;
  /** The newest answer's usage, which is the context's size but for what came since. */
  private counted: Context["counted"] = null;
  /** A history that was just made shorter is not made shorter again before an answer has come. */
  private compacted = false;
  /** Tokens of the context after the last compaction, or when one would not have made it shorter; 0 before. */
  private compactedTo = 0;

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
    const { pending, afterPending } = this.spec;
    const ending = pending === undefined ? await this.waitAgain() : await this.runLost(pending);
    if (ending !== null) return this.end(ending);
    if (afterPending !== undefined) await this.say({ role: "user", text: afterPending });
    for (;;) {
      await this.sayNotices();
      const ending = (await this.compactIfFull()) ?? (await this.mayAsk()) ?? (await this.takeTurn());
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
  private async mayAsk(asking: readonly Message[] = this.messages): Promise<AgentEnding | null> {
    const { limits, firstTurn } = this.spec;
    if (this.recorder.failure !== null) return { kind: "record-failed", error: this.recorder.failure };
    if (this.ports.signal.aborted) return { kind: "cancelled" };
    const reason = circling(this.messages, limits.repeatsMax);
    if (reason !== null) return { kind: "no-progress", reason };
    if (this.turn - firstTurn >= limits.turnsMax) return { kind: "turn-limit", turnsMax: limits.turnsMax };
    const leave = await this.leave(asking);
    if (leave.kind === "stop") return { kind: "budget", reason: leave.reason };
    assert(
      leave.outputTokensMax >= 1 && leave.outputTokensMax <= limits.outputTokensMax,
      "a leave is for 1 token of output up to what was planned",
    );
    this.outputTokensMax = leave.outputTokensMax;
    return this.ports.signal.aborted ? { kind: "cancelled" } : null;
  }

  private async leave(messages: readonly Message[]): Promise<RequestLeave> {
    const { system, limits, tools } = this.spec;
    const { outputTokensMax } = limits;
    const { turn, lastUsage } = this;
    const plan = {
      turn: turn + 1,
      system,
      messages: [...messages],
      tools: tools.map((tool) => tool.spec),
      outputTokensMax,
      lastUsage: messages === this.messages ? lastUsage : null,
    };
    return (await this.ports.beforeRequest?.(plan)) ?? { kind: "go", outputTokensMax };
  }

  /** The calls of an answer from before a crash that have no result yet. */
  private runLost({ turn, calls, results: given, cut }: PendingCalls): Promise<AgentEnding | null> {
    // What the limit was then is not in the transcript.
    return this.runCalls({ turn, calls, cutBy: cut ? "the output limit" : null, given, resumed: true });
  }

  private async takeTurn(): Promise<AgentEnding | null> {
    this.turn++;
    const answer = await this.request();
    if (answer.kind === "aborted") return { kind: "cancelled" };
    if (answer.kind === "failed") return this.afterFailure(answer.error);
    this.compacted = false;
    const cutBy = answer.stop === "length" ? `the output limit of ${this.outputTokensMax} tokens` : null;
    if (answer.calls.length > 0) return this.runCalls({ turn: this.turn, calls: answer.calls, cutBy });
    return cutBy === null ? this.afterStop(answer.text) : this.afterCutAnswer(cutBy);
  }

  private async request(): Promise<Answer> {
    const { turn, messages, outputTokensMax } = this;
    const { answer, report } = await askTurn(this.spec, this.ports, { turn, messages, outputTokensMax });
    this.totals = addRequest(this.totals, report.charges);
    this.trace(report);
    await this.recordAnswer(report, answer);
    await this.ports.afterRequest?.(report, this.recorder.failure);
    return answer;
  }

  /** Request and answer are one write, before the bill and before any call: an answer that was paid for is not asked again. */
  private async recordAnswer(report: RequestReport, answer: Answer): Promise<void> {
    const { turn } = this;
    const usage = report.charges.at(-1)?.usage ?? null;
    if (answer.kind === "whole") this.lastUsage = usage;
    // A text that says nothing is no message: providers refuse it in a history.
    const says = answer.kind === "whole" && (answer.text !== "" || answer.calls.length > 0);
    if (!says) return this.recorder.write({ kind: "request", report });
    const message = { role: "assistant", text: answer.text, calls: answer.calls } as const;
    this.messages.push(message);
    this.counted = usage === null ? null : { usage, messages: this.messages.length };
    return this.recorder.write(
      { kind: "request", report },
      { kind: "message", turn, atMs: this.ports.clock.now(), message },
    );
  }

  /** A request that was too long is made again, once, with a history made shorter. */
  private async afterFailure(error: ModelError): Promise<AgentEnding | null> {
    const ending = { kind: "model-error", error } as const;
    if (!saysTooLong(error) || this.compacted) return ending;
    const before = this.messages;
    const ended = await this.compact(Math.floor(this.contextTokens() * overflowShare));
    return ended ?? (this.messages === before ? ending : null);
  }

  private async compactIfFull(): Promise<AgentEnding | null> {
    const { contextTokens, outputTokensMax } = this.spec.limits;
    if (contextTokens === null || this.compacted) return null;
    const roomTokens = inputTokensMax({ contextTokens, outputTokensMax });
    const fixedTokens = fixedTokensMin(this.fixed());
    if (fixedTokens > roomTokens) return { kind: "model-error", error: windowTooSmall(contextTokens, fixedTokens) };
    // Where the last one helped little, the next would help as little until there is more to leave out.
    const fromTokens = Math.max(roomTokens, this.compactedTo + roomTokens * growthShare);
    return this.contextTokens() <= fromTokens ? null : this.compact(roomTokens);
  }

  private contextTokens(): number {
    const { messages, counted } = this;
    return contextTokens({ ...this.fixed(), messages, counted });
  }

  private estimate(messages: readonly Message[]): number {
    return contextTokens({ ...this.fixed(), messages, counted: null });
  }

  private fixed(): Pick<Context, "system" | "tools"> {
    const { system, tools } = this.spec;
    return { system, tools: tools.map((tool) => tool.spec) };
  }

  /** Puts a summary in place of the older part, where there is one: of the model's, or without it one of our own. */
  private async compact(roomTokens: number): Promise<AgentEnding | null> {
    this.compacted = true;
    const split = splitHistory(this.messages, roomTokens);
    if (split === null) return null;
    if (!mayShrink(split, roomTokens)) return this.stayLong();
    if ((await this.ports.hooks?.beforeCompaction(this.ports.signal)) === false) return this.stayLong();
    const asking = summaryMessages(split);
    const ending = await this.mayAsk(asking);
    if (ending !== null) return ending;
    const turn = ++this.turn;
    const tokensBefore = this.contextTokens();
    this.emit({ kind: "compaction-started", turn, tokensBefore });
    const { outputTokensMax } = this;
    const { answer, report } = await askTurn(this.spec, unheard(this.ports), {
      turn,
      messages: asking,
      outputTokensMax,
    });
    this.totals = addRequest(this.totals, report.charges);
    this.trace(report);
    const made = compactedHistory(split, answer, roomTokens);
    // A summary longer than what it stands for: the history stays, and only the request is recorded.
    const shorter = made !== null && messageTokens(made.messages) < messageTokens(this.messages) ? made : null;
    if (shorter === null) await this.recorder.write({ kind: "request", report });
    if (made !== null && shorter === null) this.stayLong();
    if (shorter !== null) {
      const { messages, opening, how } = shorter;
      const estimate = this.estimate(this.messages);
      this.messages = [...messages];
      this.counted = null;
      this.lastUsage = null;
      // Counted and estimated tokens are no measure of each other: the share that is left is.
      const sizes = { tokensBefore, tokensAfter: Math.ceil((tokensBefore * this.estimate(messages)) / estimate) };
      this.compactedTo = sizes.tokensAfter;
      const entry = { kind: "compaction", turn, atMs: this.ports.clock.now(), opening, how, ...sizes } as const;
      await this.recorder.write({ kind: "request", report }, { ...entry, kept: split.recent.length });
      this.emit({ kind: "compacted", turn, how, ...sizes });
      const said = (await this.ports.hooks?.afterCompaction(opening, this.ports.signal)) ?? "";
      const others = (await this.ports.compacted?.()) ?? "";
      for (const text of [others, said]) if (text !== "") await this.say({ role: "user", text });
    }
    await this.ports.afterRequest?.(report, this.recorder.failure);
    return made === null ? { kind: "cancelled" } : null;
  }

  /** There is nothing to gain by a compaction now. */
  private stayLong(): null {
    const tokens = this.contextTokens();
    this.compactedTo = tokens;
    this.emit({ kind: "compacted", turn: this.turn, how: "none", tokensBefore: tokens, tokensAfter: tokens });
    return null;
  }

  private async runCalls(response: Omit<Response, "conversation">): Promise<AgentEnding | null> {
    this.cutAnswers = 0;
    const conversation = [...this.messages];
    const ran = await runCalls({ ...response, conversation }, this.spec, this.ports, this.recorder);
    const { results, ended, hookEnd } = ran;
    this.messages.push({ role: "tool", results });
    if (ended !== null) return { kind: "ended", value: ended.value };
    return hookEnd === null ? null : { kind: "hook", reason: hookEnd };
  }

  /** Who has children in the background is not at the end: their results are still to come. */
  private async afterStop(text: string): Promise<AgentEnding | null> {
    const { notices, signal } = this.ports;
    if (notices !== undefined && (await notices.wait(signal)) === "notice") return null;
    if (signal.aborted) return { kind: "cancelled" };
    const verdict = await this.ports.hooks?.beforeStop(text, signal);
    if (signal.aborted) return { kind: "cancelled" };
    if (verdict?.kind !== "go-on") return { kind: "stopped", text };
    await this.say({ role: "user", text: verdict.reason });
    return null;
  }

  private async waitAgain(): Promise<AgentEnding | null> {
    const last = this.messages.at(-1);
    return this.spec.waiting === true && last?.role === "assistant" ? this.afterStop(last.text) : null;
  }

  private async sayNotices(): Promise<void> {
    const { notices, signal } = this.ports;
    if (notices === undefined || signal.aborted) return;
    const taken = notices.take();
    if (taken.length > 0) await this.say({ role: "user", text: taken.map(({ text }) => text).join("\n\n") });
    if (this.recorder.failure === null) await notices.said(taken.map(({ id }) => id));
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

  private async end(how: AgentEnding): Promise<AgentResult> {
    const reason = how.kind === "cancelled" ? (this.ports.limitReached?.() ?? null) : null;
    const ending = reason === null ? how : ({ kind: "budget", reason } as const);
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

  private trace(report: RequestReport): void {
    const { agent, parent } = this.spec;
    this.ports.trace?.request({ agent, parent }, report);
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
    case "hook":
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
