// A run's trace from its transcripts: figures added up by hand, and the page that shows them.

import { expect, test } from "vitest";
import { htmlTrace } from "./html/trace-page.ts";
import { runTrace } from "./run-trace.ts";
import { readTranscript, type Transcript } from "./transcript.ts";

const start = (agent: string, parent: string | null, atMs: number, more: object = {}) => ({
  type: "start",
  agent,
  parent,
  ...more,
  version: 1,
  at_ms: atMs,
  role: parent === null ? "solo" : "child",
  provider: "test/model",
  scripted: false,
  system: "",
  tools: [],
});
const user = (atMs: number, text: string) => ({
  type: "message",
  turn: 0,
  at_ms: atMs,
  message: { role: "user", text },
});
const asks = (turn: number, startMs: number, endMs: number, waitedMs: number, outcome = "end") => ({
  type: "request",
  turn,
  provider: "test/model",
  outcome,
  error: null,
  start_ms: startMs,
  end_ms: endMs,
  waited_ms: waitedMs,
  usage: { input_tokens: 10, cached_tokens: 0, output_tokens: 2 },
  cost_usd: "unavailable",
});
const result = (index: number, name: string, times: object, isError = false) => ({
  type: "result",
  turn: 1,
  index,
  call_id: `c${index}`,
  name,
  outcome: isError ? "error" : "ok",
  is_error: isError,
  text: "",
  ...times,
});
const transcript = (...lines: readonly object[]): Transcript => {
  const read = readTranscript(lines.map((line) => JSON.stringify(line)).join("\n"));
  if (read === null) throw new Error("a transcript has a start");
  return read;
};

const hostile = '<script>alert("x")</script>\u001b[31m';
const first = transcript(
  start("a0", null, 1_000),
  user(1_000, hostile),
  asks(1, 1_010, 1_110, 20, "calls"),
  result(0, "read_file", { queued_ms: 1_110, gate_ms: 230, approval_ms: 200, start_ms: 1_400, end_ms: 1_450 }),
  result(1, "delegate_task", { queued_ms: 1_110, gate_ms: 0, approval_ms: 0, start_ms: 1_115, end_ms: 1_900 }),
  // A line of an earlier version, which knew of no hooks.
  { type: "end", at_ms: 2_000, outcome: "stopped", detail: "" },
);
const child = transcript(
  start("a1", "a0", 1_120, { started_by: { turn: 1, index: 1 } }),
  user(1_120, "You are now the child agent a1 of the agent a0.\nMore.\n\nYour task:\nLook at it"),
  asks(1, 1_130, 1_890, 0, "error"),
  result(0, "read_file", { queued_ms: 1_500, start_ms: 1_510, end_ms: 1_520 }, true),
);

test("waiting, hooks, approval and execution of each agent are apart, and what older lines do not say is unavailable", () => {
  const { agents, timeLine, ...run } = runTrace("r1", [child, first], ["a1", "a10", "a2"]);
  expect(run).toEqual({
    runId: "r1",
    task: hostile,
    startedAtMs: 1_000,
    scripted: false,
    linesUnread: 0,
    agentsMissing: ["a2", "a10"],
  });
  expect(agents).toEqual([
    {
      id: "a0",
      parent: null,
      role: "solo",
      model: "test/model",
      task: hostile,
      outcome: "stopped",
      startMs: 0,
      endMs: 1_000,
      requests: 1,
      requestWaitingMs: 20,
      modelMs: 80,
      calls: 2,
      callsFailed: 0,
      // (1,400 - 1,110 - 230) + (1,115 - 1,110)
      waitingMs: 65,
      hookMs: 30,
      approvalMs: 200,
      // 50 + 785
      executionMs: 835,
    },
    {
      id: "a1",
      parent: "a0",
      role: "child",
      model: "test/model",
      task: "Look at it",
      outcome: null,
      startMs: 120,
      endMs: 890,
      requests: 1,
      requestWaitingMs: 0,
      modelMs: 760,
      calls: 1,
      callsFailed: 1,
      waitingMs: "unavailable",
      hookMs: "unavailable",
      approvalMs: "unavailable",
      executionMs: 10,
    },
  ]);
  expect(timeLine.agents[0]?.spans).toEqual([
    { kind: "model", queuedFromMs: 10, startMs: 30, endMs: 110, label: "turn 1, 10 tokens in, 2 out", failed: false },
    { kind: "delegation", queuedFromMs: null, startMs: 115, endMs: 900, label: "delegate_task → a1", failed: false },
    {
      kind: "tool",
      queuedFromMs: 110,
      hookMs: 30,
      approvalMs: 200,
      startMs: 400,
      endMs: 450,
      label: "read_file",
      failed: false,
    },
  ]);
});

test("the page holds no script, loads nothing, and shows hostile text as text", () => {
  const page = htmlTrace(runTrace("r1", [first, child], ["<b>a9"]));
  expect(page).toContain("&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;\ufffd[31m");
  expect(page).toContain("missing here: &lt;b&gt;a9</p>");
  expect(page).not.toMatch(/<script|<link|<img|src=|https?:/);
  // The approval of 200 ms ends where the call begins: 200 of 1,020 ms wide.
  expect(page).toMatch(/<rect class="approval" x="19\.608%" width="19\.608%"/);
});

test("a parent whose transcript is gone is named", () => {
  expect(runTrace("r1", [child], []).agentsMissing).toEqual(["a0"]);
});
