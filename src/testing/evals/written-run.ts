// What a run leaves in its state directory, written by hand in the published formats of docs/run.md: for tests of measuring and judging.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface WrittenCall {
  readonly id: string;
  readonly name: string;
  readonly input: object;
  /** Left out: the call has no result. */
  readonly result?: string;
  readonly outcome?: string;
  readonly startMs?: number;
  readonly endMs?: number;
}

export interface WrittenTurn {
  readonly startMs: number;
  readonly endMs: number;
  readonly say?: string;
  readonly calls?: readonly WrittenCall[];
  readonly usage?: readonly [
    input: number | "unavailable",
    cached: number | "unavailable",
    output: number | "unavailable",
  ];
  readonly costUsd?: number | "unavailable";
  readonly error?: string;
  readonly waitedMs?: number;
}

export interface WrittenAgent {
  readonly id: string;
  readonly parent: string | null;
  readonly startMs: number;
  /** Null for one that was cut off. */
  readonly endMs: number | null;
  readonly outcome?: string;
  readonly provider?: string;
  readonly turns: readonly WrittenTurn[];
}

export interface WrittenDelegation {
  readonly child: string | null;
  readonly call: string;
  readonly startMs: number | "unavailable";
  readonly endMs: number;
  readonly concurrent?: number;
  readonly context?: string;
}

export interface WrittenRun {
  readonly agents: readonly WrittenAgent[];
  readonly delegations?: readonly WrittenDelegation[];
}

/** Below `state`, as one run. */
export function writeRun(state: string, { agents, delegations = [] }: WrittenRun): void {
  const run = join(state, "runs", "workspace-0123456789ab", "20261129-230501-ab3d");
  mkdirSync(join(run, "agents"), { recursive: true });
  for (const agent of agents) writeFileSync(join(run, "agents", `${agent.id}.jsonl`), lines(agentLines(agent)));
  if (delegations.length === 0) return;
  writeFileSync(
    join(run, "delegations.jsonl"),
    lines(
      delegations.map(({ child, call, startMs, endMs, concurrent = 1 }, index) => ({
        seq: index + 1,
        call_id: call,
        child_id: child,
        parent_id: "a0",
        concurrent: child === null ? "unavailable" : concurrent,
        queued_at_ms: startMs === "unavailable" ? endMs : startMs,
        started_at_ms: startMs,
        ended_at_ms: endMs,
        outcome: child === null ? "refused" : "done",
      })),
    ),
  );
  const started = delegations.flatMap(({ child, call, context = "task-only" }, index) => {
    const request = { task: "look", context, model: null, isolation: "shared", writeScope: [], background: false };
    const line = {
      type: "asked",
      child,
      parent: "a0",
      seq: index + 1,
      call_id: call,
      turn: 1,
      index,
      queued_at_ms: 0,
    };
    return child === null ? [] : [{ ...line, request }];
  });
  writeFileSync(join(run, "children.jsonl"), lines(started));
}

function agentLines({ id, parent, startMs, endMs, outcome = "stopped", provider = "made/model", turns }: WrittenAgent) {
  const owner = { agent: id, parent };
  const start = {
    version: 1,
    at_ms: startMs,
    role: parent === null ? "solo" : "child",
    task: null,
    provider,
    scripted: false,
  };
  return [
    { type: "start", ...owner, ...start, first_turn: 0, tools: ["read_file", "delegate_task"], system: "" },
    { type: "message", ...owner, turn: 0, at_ms: startMs, message: { role: "user", text: "go" } },
    ...turns.flatMap((turn, index) => turnLines(owner, provider, index + 1, turn)),
    ...(endMs === null ? [] : [{ type: "end", ...owner, turn: turns.length, at_ms: endMs, outcome, detail: "" }]),
  ];
}

function turnLines(owner: object, provider: string, turn: number, written: WrittenTurn): readonly object[] {
  const { startMs, endMs, say = "", calls = [], usage = [0, 0, 0], costUsd = 0, error, waitedMs = 0 } = written;
  const [input, cached, output] = usage;
  const asked = calls.map(({ id, name, input: value }) => ({ id, name, arguments: { kind: "parsed", value } }));
  const request = {
    type: "request",
    ...owner,
    turn,
    provider,
    scripted: false,
    outcome: error !== undefined ? "error" : calls.length > 0 ? "calls" : "end",
    error: error === undefined ? null : { code: error, message: "", retry_after_ms: null },
    start_ms: startMs,
    end_ms: endMs,
    duration_ms: endMs - startMs,
    waited_ms: waitedMs,
    usage: { input_tokens: input, cached_tokens: cached, output_tokens: output },
    cost_usd: costUsd,
    charges: [],
    attempts: [],
  };
  if (error !== undefined) return [request];
  return [
    request,
    { type: "message", ...owner, turn, at_ms: endMs, message: { role: "assistant", text: say, calls: asked } },
    ...calls.flatMap(({ id, name, result, outcome = "ok", startMs: from = endMs, endMs: to = from }, index) => {
      const times = { queued_ms: endMs, gate_ms: 0, start_ms: from, end_ms: to };
      const line = { type: "result", ...owner, turn, index, call_id: id, name, outcome, is_error: outcome !== "ok" };
      return result === undefined ? [] : [{ ...line, ...times, text: result }];
    }),
  ];
}

function lines(values: readonly object[]): string {
  return values.map((value) => `${JSON.stringify(value)}\n`).join("");
}
