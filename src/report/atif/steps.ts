// An agent's transcript as ATIF steps: one for what it was told, one for each model request with what was answered, called and returned.
// A request without an answer is a step too, so that no request and no figure is missing.

import { unreachable } from "../../base/assert.ts";
import type { TokenCounts, Transcript, TranscriptCall, TranscriptLine } from "../transcript.ts";
import type { AtifCall, AtifMetrics, AtifResult, AtifStep } from "./format.ts";

export interface StepOptions {
  readonly sessionId: string;
  /** Trajectories that a call of this agent started. */
  readonly children: readonly {
    readonly trajectoryId: string;
    readonly startedBy: { readonly turn: number; readonly index: number };
  }[];
}

type Line<Kind extends TranscriptLine["kind"]> = Extract<TranscriptLine, { kind: Kind }>;
type Step = Omit<AtifStep, "step_id">;

export function atifSteps(transcript: Transcript, options: StepOptions): readonly AtifStep[] {
  const folding = new Folding(options);
  for (const line of transcript.lines) folding.take(line);
  return folding.finish().map((step, index) => ({ step_id: index + 1, ...step }));
}

/** Of an answer, whose results come after it. */
interface Answer {
  readonly line: Line<"assistant">;
  readonly request: Line<"request"> | null;
  readonly results: Map<number, Line<"result">>;
}

class Folding {
  private readonly options: StepOptions;
  private readonly steps: (Step | Answer)[] = [];
  /** A request whose answer has not come yet. */
  private request: Line<"request"> | null = null;
  private system: string | null = null;
  private provider = "unknown";

  constructor(options: StepOptions) {
    this.options = options;
  }

  take(line: TranscriptLine): void {
    switch (line.kind) {
      case "start":
        return this.start(line);
      case "user":
        return this.say({ timestamp: iso(line.atMs), source: "user", message: line.text });
      case "compaction":
        return this.say({
          timestamp: iso(line.atMs),
          source: "system",
          message: line.opening,
          extra: { compaction: { messages_kept: line.kept } },
        });
      case "request":
        this.unanswered();
        this.request = line;
        return;
      case "assistant": {
        const request = this.request?.turn === line.turn ? this.request : null;
        if (request === null) this.unanswered();
        this.request = null;
        this.steps.push({ line, request, results: new Map() });
        return;
      }
      case "result": {
        // A call that was run again after a crash has its last result.
        const answer = this.steps.findLast((step) => "results" in step && step.line.turn === line.turn);
        if (answer !== undefined && "results" in answer) answer.results.set(line.index, line);
        return;
      }
      case "end":
        return;
      default:
        return unreachable(line);
    }
  }

  finish(): readonly Step[] {
    this.unanswered();
    return this.steps.map((step) => ("results" in step ? this.answerStep(step) : step));
  }

  /** A resumed run has a start of its own: the prompt is said again only where it is another. */
  private start(line: Line<"start">): void {
    this.provider = line.provider;
    if (line.system === this.system) return;
    this.system = line.system;
    this.say({ timestamp: iso(line.atMs), source: "system", message: line.system });
  }

  private say(step: Step): void {
    this.unanswered();
    this.steps.push(step);
  }

  /** Failed, cut off, or for a summary. */
  private unanswered(): void {
    const { request } = this;
    if (request === null) return;
    this.request = null;
    this.steps.push({
      timestamp: iso(request.startMs),
      source: "agent",
      model_name: request.provider,
      message: "",
      metrics: metricsOf(request),
      llm_call_count: 1,
      extra: {
        turn: request.turn,
        outcome: request.outcome,
        ...(request.error === null ? {} : { error: request.error }),
      },
    });
  }

  private answerStep({ line, request, results }: Answer): Step {
    const calls = line.calls.map(callOf);
    const observed = line.calls.flatMap((call, index) => {
      const result = results.get(index);
      return result === undefined ? [] : [this.resultOf(call, result)];
    });
    return {
      timestamp: iso(request?.startMs ?? line.atMs),
      source: "agent",
      model_name: request?.provider ?? this.provider,
      message: line.text,
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
      ...(observed.length === 0 ? {} : { observation: { results: observed } }),
      ...(request === null ? {} : { metrics: metricsOf(request), llm_call_count: 1 }),
      extra: { turn: line.turn, ...(request === null ? {} : { outcome: request.outcome }) },
    };
  }

  private resultOf(call: TranscriptCall, result: Line<"result">): AtifResult {
    const { turn, index, outcome, isError, queuedMs, startMs, endMs } = result;
    const started = this.options.children.filter(
      ({ startedBy }) => startedBy.turn === turn && startedBy.index === index,
    );
    const refs = started.map(({ trajectoryId }) => ({
      trajectory_id: trajectoryId,
      session_id: this.options.sessionId,
    }));
    const times = { queued_at_ms: queuedMs, started_at_ms: startMs, ended_at_ms: endMs };
    return {
      source_call_id: call.id,
      content: result.text,
      ...(refs.length === 0 ? {} : { subagent_trajectory_ref: refs }),
      extra: { outcome, is_error: isError, ...times },
    };
  }
}

/** Arguments are an object in this format: others stand in `extra` as they were. */
function callOf({ id, name, arguments: given }: TranscriptCall): AtifCall {
  const call = { tool_call_id: id, function_name: name };
  if (given.kind === "malformed") return { ...call, arguments: {}, extra: { malformed_arguments: given.text } };
  const { value } = given;
  if (isObject(value)) return { ...call, arguments: value };
  return { ...call, arguments: {}, ...(value === undefined ? {} : { extra: { arguments_value: value } }) };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function metricsOf({ tokens, costUsd, startMs, endMs, waitedMs }: Line<"request">): AtifMetrics {
  return {
    ...tokensOf(tokens),
    ...(costUsd === "unavailable" ? {} : { cost_usd: costUsd }),
    extra: { started_at_ms: startMs, ended_at_ms: endMs, waited_ms: waitedMs },
  };
}

function tokensOf({ inputTokens, cachedTokens, outputTokens }: TokenCounts): AtifMetrics {
  return {
    ...(inputTokens === "unavailable" ? {} : { prompt_tokens: inputTokens }),
    ...(outputTokens === "unavailable" ? {} : { completion_tokens: outputTokens }),
    ...(cachedTokens === "unavailable" ? {} : { cached_tokens: cachedTokens }),
  };
}

/** What no date can be made of is the epoch: the exact number stands in `extra`. */
function iso(ms: number): string {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? new Date(0).toISOString() : date.toISOString();
}
