// Makes a run's record of what the run wrote: transcripts, delegations and its last line of JSON. Every figure is read off or calculated
// from those; what they do not tell is unavailable.

import { capText } from "../base/text.ts";
import { figuresOf } from "./figures-of.ts";
import type { Slot } from "./plan.ts";
import { filesReadAgain } from "./read-again.ts";
import {
  type AgentRecord,
  answerCharsMax,
  type CallRecord,
  type DelegationFacts,
  type Ending,
  type Fault,
  type Histogram,
  type RequestRecord,
  type RunRecord,
  recordVersion,
} from "./record.ts";
import { formOf } from "./result-form.ts";
import { type AgentTranscript, lastWords, type RunTranscripts, type Told } from "./transcript.ts";

export interface Measured {
  readonly suite: string;
  readonly slot: Slot;
  readonly seed: string;
  readonly askedModel: string;
  readonly flags: readonly string[];
  readonly skeinVersion: string;
  readonly startedAtMs: number;
  /** From starting the program to its end. */
  readonly processMs: number;
  /** As the run says it. */
  readonly wallMs: number | null;
  readonly ending: Ending;
  readonly answer: string;
  readonly transcripts: RunTranscripts;
  readonly faults: readonly Fault[];
}

const argumentsCharsMax = 2_000;
const delegateTool = "delegate_task";

export function recordOf(run: Measured): RunRecord {
  const { suite, slot, seed, askedModel, flags, skeinVersion, startedAtMs, ending, answer, transcripts } = run;
  const zeroAtMs = zeroOf(transcripts.agents);
  const zero = zeroAtMs ?? startedAtMs;
  const agents = transcripts.agents.map((agent) => agentRecord(agent, zero));
  const delegations = delegationsOf(transcripts, zero);
  const childResults = transcripts.agents.slice(1).flatMap((agent) => {
    const said = lastWords(agent);
    return said === null ? [] : [{ child: agent.id, chars: said.length, form: formOf(said) }];
  });
  const again = filesReadAgain(transcripts);
  return {
    version: recordVersion,
    suite,
    ...slot,
    seed,
    askedModel,
    flags: [...flags],
    models: [...new Set(transcripts.agents.flatMap(({ requests, starts }) => namesOf({ requests, starts })))],
    scripted: transcripts.agents.some(({ starts }) => starts.some(({ scripted }) => scripted)),
    skeinVersion,
    startedAtMs,
    zeroAtMs,
    ending,
    answer: capText(answer, answerCharsMax),
    answerChars: answer.length,
    figures: figuresOf({ agents, delegations, childResults, filesReadAgain: again.length, ...run }),
    callsPerResponse: histogram(agents, ({ calls }) => calls),
    delegationsPerResponse: histogram(agents, ({ delegations: count }) => count),
    agents,
    delegations,
    childResults,
    filesReadAgain: [...again],
    faults: [...run.faults, ...faultsOf(transcripts)],
  };
}

function zeroOf(agents: readonly AgentTranscript[]): number | null {
  return agents[0]?.starts[0]?.at_ms ?? null;
}

function namesOf({ requests, starts }: Pick<AgentTranscript, "requests" | "starts">): readonly string[] {
  return [...starts, ...requests].map(({ provider }) => provider);
}

function agentRecord({ id, starts, messages, requests, results, end }: AgentTranscript, zero: number): AgentRecord {
  const [start] = starts;
  const callsOf = (turn: number): readonly string[] =>
    messages.flatMap(({ turn: own, message }) =>
      own === turn && message.role === "assistant" ? message.calls.map(({ name }) => name) : [],
    );
  const lastMs = Math.max(0, ...requests.map(({ end_ms: endMs }) => endMs - zero), (end?.at_ms ?? 0) - zero);
  return {
    id,
    parent: start?.parent ?? null,
    model: requests[0]?.provider ?? start?.provider ?? "",
    scripted: start?.scripted ?? false,
    tools: [...(start?.tools ?? [])],
    startMs: start === undefined ? null : start.at_ms - zero,
    endMs: start === undefined ? null : end === null ? lastMs : end.at_ms - zero,
    outcome: end?.outcome ?? null,
    requests: requests.map((request): RequestRecord => {
      const names = callsOf(request.turn);
      return {
        turn: request.turn,
        startMs: request.start_ms - zero,
        endMs: request.end_ms - zero,
        queuedMs: request.waited_ms,
        attempts: Math.max(1, request.attempts.length),
        outcome: request.outcome,
        error: request.error?.code ?? null,
        inputTokens: known(request.usage.input_tokens),
        cachedTokens: known(request.usage.cached_tokens),
        outputTokens: known(request.usage.output_tokens),
        costUsd: known(request.cost_usd),
        calls: names.length,
        delegations: names.filter((name) => name === delegateTool).length,
      };
    }),
    calls: results.map((result): CallRecord => {
      const asked = messages.flatMap(({ turn, message }) =>
        turn === result.turn && message.role === "assistant" ? message.calls : [],
      );
      return {
        turn: result.turn,
        index: result.index,
        callId: result.call_id,
        name: result.name,
        arguments: capText(argumentsText(asked[result.index]?.arguments), argumentsCharsMax),
        queuedMs: since(result.queued_ms, zero),
        startMs: since(result.start_ms, zero),
        endMs: since(result.end_ms, zero),
        outcome: result.outcome,
        isError: result.is_error,
        resultChars: result.text.length,
      };
    }),
  };
}

/** As the model gave them: an object, or the text that was none. */
export function argumentsText(given: unknown): string {
  if (typeof given !== "object" || given === null) return "";
  if ("text" in given && typeof given.text === "string") return given.text;
  return "value" in given ? (JSON.stringify(given.value) ?? "") : "";
}

function delegationsOf({ delegations, contexts }: RunTranscripts, zero: number): DelegationFacts[] {
  return delegations
    .map((line) => ({
      seq: line.seq,
      callId: line.call_id,
      child: line.child_id,
      parent: line.parent_id,
      concurrent: known(line.concurrent),
      queuedMs: line.queued_at_ms - zero,
      startMs: since(line.started_at_ms, zero),
      endMs: line.ended_at_ms - zero,
      outcome: line.outcome,
      context: line.child_id === null ? null : (contexts.get(line.child_id) ?? null),
    }))
    .toSorted((a, b) => a.seq - b.seq);
}

function histogram(agents: readonly AgentRecord[], count: (request: RequestRecord) => number): Histogram {
  const counts: Record<string, number> = {};
  for (const request of agents.flatMap(({ requests }) => requests)) {
    const made = count(request);
    if (made > 0) counts[made] = (counts[made] ?? 0) + 1;
  }
  return counts;
}

/** A tool that could not do its work for want of something around it, and transcripts that cannot be read. */
function faultsOf({ agents, damaged }: RunTranscripts): readonly Fault[] {
  const calls = agents.flatMap(({ id, results }) =>
    results
      .filter(({ outcome }) => outcome === "fault" || outcome === "internal-error")
      .map(({ name, text }): Fault => ({ kind: "call", detail: capText(`${id} ${name}: ${text}`, 500) })),
  );
  return [...calls, ...damaged.map((detail): Fault => ({ kind: "transcript", detail: capText(detail, 500) }))];
}

function known(figure: Told): number | null {
  return figure === "unavailable" ? null : figure;
}

function since(figure: Told, zero: number): number | null {
  return figure === "unavailable" ? null : figure - zero;
}
