// Results of a measurement that nobody made: plans, records and verdicts by hand, for the tests of reports.

import { FIGURE_NAMES, type Figure, type FigureName, measured, UNAVAILABLE } from "../../evals/figure.ts";
import type { EvalPlan, Slot } from "../../evals/plan.ts";
import type { AgentRecord, RunRecord } from "../../evals/record.ts";
import type { EvalResults, EvalRun } from "../../evals/results.ts";
import type { Verdict } from "../../evals/verdict.ts";

export interface MadeRun {
  readonly task?: string;
  readonly condition: string;
  readonly figures?: Partial<Record<FigureName, number>>;
  readonly agents?: readonly AgentRecord[];
  readonly delegations?: RunRecord["delegations"];
  readonly record?: Partial<RunRecord>;
  readonly verdict?: Partial<Verdict> | null;
}

export interface MadeResults {
  readonly directory?: string;
  readonly plan?: Partial<EvalPlan>;
  /** Repetitions count up within each task and condition. */
  readonly runs: readonly MadeRun[];
  readonly missing?: readonly Slot[];
  readonly damaged?: EvalResults["damaged"];
}

export function madeResults({
  directory = "/results",
  plan = {},
  runs,
  missing = [],
  damaged = [],
}: MadeResults): EvalResults {
  const counts = new Map<string, number>();
  const slots = runs.map(({ task = "task", condition }): Slot => {
    const key = `${task}/${condition}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
    return { task, condition, repetition: counts.get(key) ?? 0 };
  });
  const order = [...slots, ...missing];
  const names = (of: (slot: Slot) => string) => [...new Set(order.map(of))];
  return {
    directory,
    plan: {
      version: 1,
      suite: "made",
      about: "made by hand",
      suiteDigest: "digest",
      model: "script:made",
      scriptDigest: null,
      seed: "7",
      scale: null,
      runs: Math.max(0, ...order.map(({ repetition }) => repetition)),
      conditions: names(({ condition }) => condition).map((name) => ({ name, changes: `what ${name} changes` })),
      tasks: names(({ task }) => task).map((name) => ({ name, about: `what ${name} is` })),
      order,
      skeinVersion: "1.2.3",
      madeAtMs: 0,
      ...plan,
    },
    runs: runs.map((run, index) => madeRun(run, slots[index] ?? { task: "", condition: "", repetition: 0 }, directory)),
    missing,
    damaged,
  };
}

function madeRun(run: MadeRun, slot: Slot, directory: string): EvalRun {
  return {
    slot,
    directory: `${directory}/runs/${slot.task}/${slot.condition}/${String(slot.repetition).padStart(3, "0")}`,
    record: madeRecord(run, slot),
    verdict: run.verdict === null ? null : madeVerdict(run.verdict ?? {}, slot),
  };
}

function madeRecord({ figures = {}, agents = [], delegations = [], record }: MadeRun, slot: Slot): RunRecord {
  const known = FIGURE_NAMES.map((name): readonly [FigureName, Figure] => {
    const value = figures[name];
    return [name, value === undefined ? UNAVAILABLE : measured(value)];
  });
  return {
    version: 1,
    suite: "made",
    ...slot,
    seed: "7",
    askedModel: "script:made",
    flags: [],
    models: ["script:made"],
    scripted: true,
    skeinVersion: "1.2.3",
    startedAtMs: 1_790_000_000_000,
    zeroAtMs: 1_790_000_000_000,
    ending: { exitCode: 0, signal: null, outcome: "stopped", error: null, detail: "", timedOut: false },
    answer: "30909",
    answerChars: 5,
    figures: Object.fromEntries(known) as Readonly<Record<FigureName, Figure>>,
    callsPerResponse: {},
    delegationsPerResponse: {},
    agents: [...agents],
    delegations,
    childResults: [],
    filesReadAgain: [],
    faults: [],
    ...record,
  };
}

function madeVerdict(verdict: Partial<Verdict>, slot: Slot): Verdict {
  return {
    version: 1,
    suite: "made",
    ...slot,
    checksDigest: "digest",
    excluded: null,
    passed: true,
    valueRight: true,
    formatRight: true,
    processRight: null,
    checks: [],
    failure: null,
    ...verdict,
  };
}

export function madeRequest(startMs: number, endMs: number, more: Partial<AgentRecord["requests"][number]> = {}) {
  return {
    turn: 1,
    startMs,
    endMs,
    queuedMs: 0,
    attempts: 1,
    outcome: "calls",
    error: null,
    inputTokens: 100,
    cachedTokens: 0,
    outputTokens: 10,
    costUsd: null,
    calls: 1,
    delegations: 0,
    ...more,
  };
}

export function madeCall(
  name: string,
  startMs: number,
  endMs: number,
  more: Partial<AgentRecord["calls"][number]> = {},
) {
  return {
    turn: 1,
    index: 0,
    callId: `call-${name}-${startMs}`,
    name,
    arguments: "{}",
    queuedMs: startMs,
    startMs,
    endMs,
    outcome: "ok",
    isError: false,
    resultChars: 4,
    ...more,
  };
}

export function madeAgent(id: string, parent: string | null, more: Partial<AgentRecord>): AgentRecord {
  return {
    id,
    parent,
    model: "script:made",
    scripted: true,
    tools: [],
    startMs: 0,
    endMs: 0,
    outcome: "stopped",
    requests: [],
    calls: [],
    ...more,
  };
}
