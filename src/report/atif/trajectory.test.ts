// Trajectories against the published rules of ATIF 1.7, and against what a small run with a child must look like by hand.

import { describe, expect, test } from "vitest";
import { ATIF } from "../../testing/evals/atif-schema.ts";
import { scriptedSentence } from "../sentences.ts";
import type { Transcript, TranscriptLine } from "../transcript.ts";
import { atifTrajectory } from "./trajectory.ts";

const tokens = { inputTokens: 100, cachedTokens: 60, outputTokens: 9 } as const;
const unknown = { inputTokens: "unavailable", cachedTokens: "unavailable", outputTokens: "unavailable" } as const;
const start = (agent: string, parent: string | null, startedBy: { turn: number; index: number } | null) =>
  ({
    kind: "start",
    agent,
    parent,
    startedBy,
    atMs: 0,
    role: parent === null ? "solo" : "child",
    provider: "anthropic/x",
    scripted: false,
    system: "Be brief.",
    tools: ["glob"],
  }) as const;
const request = (turn: number, more: Partial<Extract<TranscriptLine, { kind: "request" }>> = {}) =>
  ({
    kind: "request",
    turn,
    provider: "anthropic/x",
    outcome: "calls",
    error: null,
    startMs: turn * 1_000,
    endMs: turn * 1_000 + 500,
    waitedMs: 0,
    tokens,
    costUsd: 0.01,
    ...more,
  }) as const;
const result = (turn: number, index: number, text: string) =>
  ({
    kind: "result",
    turn,
    index,
    callId: `c${index}`,
    name: "glob",
    outcome: "ok",
    isError: false,
    text,
    queuedMs: 1_500,
    gateMs: 0,
    approvalMs: 0,
    startMs: 1_501,
    endMs: 1_510,
  }) as const;
const delegate = { id: "c0", name: "delegate_task", arguments: { kind: "parsed", value: { task: "Look" } } } as const;

const parent: Transcript = {
  agent: "a0",
  parent: null,
  linesUnread: 1,
  lines: [
    start("a0", null, null),
    { kind: "user", turn: 0, atMs: 0, text: "Find it." },
    request(1),
    {
      kind: "assistant",
      turn: 1,
      atMs: 1_500,
      text: "I ask.",
      calls: [delegate, { id: "c1", name: "glob", arguments: { kind: "malformed", text: "{" } }],
    },
    result(1, 1, "bad arguments"),
    result(1, 0, "fine"),
    request(2, { outcome: "error", error: "overloaded: Later.", tokens: unknown, costUsd: "unavailable" }),
    { kind: "end", atMs: 2_600, outcome: "model-error", detail: "overloaded" },
  ],
};
const child: Transcript = {
  agent: "a1",
  parent: "a0",
  linesUnread: 0,
  lines: [
    start("a1", "a0", { turn: 1, index: 0 }),
    { kind: "user", turn: 0, atMs: 1_501, text: "Look" },
    request(1, { outcome: "end" }),
    { kind: "assistant", turn: 1, atMs: 1_505, text: "fine", calls: [] },
    { kind: "end", atMs: 1_506, outcome: "stopped", detail: "" },
  ],
};
const run = { sessionId: "run-1", skeinVersion: "1.2.3" };

const metrics = (turn: number) => ({
  prompt_tokens: 100,
  completion_tokens: 9,
  cached_tokens: 60,
  cost_usd: 0.01,
  extra: { started_at_ms: turn * 1_000, ended_at_ms: turn * 1_000 + 500, waited_ms: 0 },
});
const times = { queued_at_ms: 1_500, started_at_ms: 1_501, ended_at_ms: 1_510 };

test("a run with a child is one document: results in request order, the child embedded and named by the call that started it", () => {
  const trajectory = atifTrajectory({ ...run, transcripts: [child, parent] });
  expect(ATIF.safeParse(trajectory).error?.issues).toBeUndefined();
  expect(trajectory?.steps).toEqual([
    { step_id: 1, timestamp: "1970-01-01T00:00:00.000Z", source: "system", message: "Be brief." },
    { step_id: 2, timestamp: "1970-01-01T00:00:00.000Z", source: "user", message: "Find it." },
    {
      step_id: 3,
      timestamp: "1970-01-01T00:00:01.000Z",
      source: "agent",
      model_name: "anthropic/x",
      message: "I ask.",
      tool_calls: [
        { tool_call_id: "c0", function_name: "delegate_task", arguments: { task: "Look" } },
        { tool_call_id: "c1", function_name: "glob", arguments: {}, extra: { malformed_arguments: "{" } },
      ],
      observation: {
        results: [
          {
            source_call_id: "c0",
            content: "fine",
            subagent_trajectory_ref: [{ trajectory_id: "run-1/a1", session_id: "run-1" }],
            extra: { outcome: "ok", is_error: false, ...times },
          },
          { source_call_id: "c1", content: "bad arguments", extra: { outcome: "ok", is_error: false, ...times } },
        ],
      },
      metrics: metrics(1),
      llm_call_count: 1,
      extra: { turn: 1, outcome: "calls" },
    },
    {
      step_id: 4,
      timestamp: "1970-01-01T00:00:02.000Z",
      source: "agent",
      model_name: "anthropic/x",
      message: "",
      metrics: { extra: { started_at_ms: 2_000, ended_at_ms: 2_500, waited_ms: 0 } },
      llm_call_count: 1,
      extra: { turn: 2, outcome: "error", error: "overloaded: Later." },
    },
  ]);
  expect([trajectory?.final_metrics, trajectory?.extra, trajectory?.notes]).toEqual([
    // One request's figures are not known, and so no sum is.
    { total_steps: 4, extra: { requests: 2 } },
    { outcome: "model-error", detail: "overloaded", transcript_lines_unread: 1 },
    undefined,
  ]);
  const [embedded] = trajectory?.subagent_trajectories ?? [];
  expect([embedded?.trajectory_id, embedded?.session_id, embedded?.final_metrics]).toEqual([
    "run-1/a1",
    "run-1",
    {
      total_prompt_tokens: 100,
      total_completion_tokens: 9,
      total_cached_tokens: 60,
      total_cost_usd: 0.01,
      total_steps: 3,
      extra: { requests: 1 },
    },
  ]);
});

describe("what is out of the ordinary keeps the format", () => {
  const again: Transcript = {
    ...parent,
    lines: [
      { ...start("a0", null, null), scripted: true },
      { kind: "user", turn: 0, atMs: 0, text: "Find it." },
      {
        kind: "assistant",
        turn: 1,
        atMs: 5,
        text: "",
        calls: [{ ...delegate, arguments: { kind: "parsed", value: [1] } }],
      },
      result(1, 0, "interrupted"),
      { ...start("a0", null, null), scripted: true },
      result(1, 0, "run again"),
      request(2),
      { kind: "compaction", turn: 2, atMs: 9, opening: "So far …", kept: 1 },
    ],
  };

  test("a resumed session says its prompt once and a repeated call has its last result; a summary's request is a step", () => {
    const trajectory = atifTrajectory({ ...run, transcripts: [again] });
    expect(ATIF.safeParse(trajectory).error?.issues).toBeUndefined();
    expect(
      trajectory?.steps.map(({ source, message, observation }) => [source, message, observation?.results[0]?.content]),
    ).toEqual([
      ["system", "Be brief.", undefined],
      ["user", "Find it.", undefined],
      ["agent", "", "run again"],
      ["agent", "", undefined],
      ["system", "So far …", undefined],
    ]);
    expect([trajectory?.notes, trajectory?.extra]).toEqual([
      scriptedSentence,
      { interrupted: true, transcript_lines_unread: 1 },
    ]);
  });

  test("children of children lie below their parent, one whose parent is lost or itself below the first agent", () => {
    const below = (agent: string, of: string): Transcript => ({ ...child, agent, parent: of });
    const transcripts = [parent, child, below("a2", "a1"), below("a3", "a9"), below("a4", "a4")];
    const trajectory = atifTrajectory({ ...run, transcripts });
    expect(ATIF.safeParse(trajectory).error?.issues).toBeUndefined();
    const ids = (one: typeof trajectory): unknown =>
      one?.subagent_trajectories?.map((embedded) => [embedded.trajectory_id, ids(embedded)]);
    expect(ids(trajectory)).toEqual([
      ["run-1/a1", [["run-1/a2", undefined]]],
      ["run-1/a3", undefined],
      ["run-1/a4", undefined],
    ]);
  });

  test("without a first agent there is no trajectory", () => {
    expect(atifTrajectory({ ...run, transcripts: [child] })).toBeNull();
  });
});

describe("the rules that trajectories are held to refuse what the published validator does", () => {
  const step = { step_id: 1, source: "agent", message: "x" };
  const call = { tool_call_id: "c1", function_name: "glob", arguments: {} };
  const document = (steps: readonly object[], more: object = {}) => ({
    schema_version: "ATIF-v1.7",
    agent: { name: "skein", version: "1" },
    steps,
    ...more,
  });
  const child = (more: object) => ({ ...document([step]), ...more });

  test.each([
    ["another version", document([step], { schema_version: "ATIF-v2.0" })],
    ["no steps", document([])],
    ["a field of no meaning", document([step], { surprise: 1 })],
    ["a step's field of no meaning", document([{ ...step, note: "x" }])],
    ["an agent without a version", document([step], { agent: { name: "skein" } })],
    ["a gap in the steps", document([step, { ...step, step_id: 3 }])],
    ["a source of no meaning", document([{ ...step, source: "tool" }])],
    ["a time that is none", document([{ ...step, timestamp: "yesterday" }])],
    ["a user's step with metrics", document([{ ...step, source: "user", metrics: {} }])],
    [
      "metrics of a step that asked no model",
      document([{ ...step, llm_call_count: 0, metrics: { prompt_tokens: 1 } }]),
    ],
    ["half a token", document([{ ...step, metrics: { prompt_tokens: 1.5 } }])],
    ["arguments that are no object", document([{ ...step, tool_calls: [{ ...call, arguments: "ls" }] }])],
    ["a result of another step's call", document([{ ...step, observation: { results: [{ source_call_id: "c9" }] } }])],
    ["a child without an id", document([step], { subagent_trajectories: [child({})] })],
    [
      "two children with one id",
      document([step], { subagent_trajectories: [child({ trajectory_id: "a" }), child({ trajectory_id: "a" })] }),
    ],
  ])("%s", (_, value) => {
    expect(ATIF.safeParse(document([{ ...step, tool_calls: [call] }])).error?.issues).toBeUndefined();
    expect(ATIF.safeParse(value).success).toBe(false);
  });
});
