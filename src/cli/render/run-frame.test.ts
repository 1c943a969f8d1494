// The live frame and the lines of `skein run`, from events as the loop and the family give them. Times are handed in.

import picocolors from "picocolors";
import { expect, test } from "vitest";
import type { FamilyEvent } from "../../agent/family-event.ts";
import type { AgentEvent } from "../../agent/spec.ts";
import { NO_TOTALS } from "../../agent/totals.ts";
import { asAgentId, asCallId } from "../../base/ids.ts";
import { call } from "../../testing/agent/rig.ts";
import { RunBoard } from "./run-board.ts";
import { runFrame } from "./run-frame.ts";
import { eventLines, familyLines } from "./run-lines.ts";

const [root, child, second] = [asAgentId("a0"), asAgentId("a1"), asAgentId("a2")];
const colors = picocolors.createColors(false);

const started = (id: string, name: string, input: object): AgentEvent => ({
  kind: "call-started",
  turn: 1,
  call: call(id, name, input),
});
const ended = (id: string, name: string, text: string, isError = false): AgentEvent => ({
  kind: "call-ended",
  turn: 1,
  result: { callId: asCallId(id), name, text, isError },
  outcome: isError ? "error" : "ok",
});
const asked = (input: number | "unavailable"): AgentEvent => ({
  kind: "request-ended",
  turn: 1,
  report: {
    turn: 1,
    provider: "p",
    scripted: false,
    outcome: "calls",
    error: null,
    usage: { inputTokens: input, cachedTokens: 0, outputTokens: 20 },
    costUsd: 0,
    charges: [],
    attempts: [],
    startMs: 0,
    endMs: 0,
    durationMs: 0,
    waitedMs: 0,
  },
});
const queued = (who: typeof child, callId: string, task: string): FamilyEvent => ({
  kind: "child-queued",
  child: who,
  parent: root,
  callId: asCallId(callId),
  task,
  model: "p/m",
  background: false,
});

/** The first agent runs a command and two children, of which one waits for a place. */
function busy(): RunBoard {
  const board = new RunBoard(root, "do it", 0);
  board.see(root, asked(1_000), 1_000);
  board.see(root, started("c1", "bash", { command: "npm test\nrm x", timeout_ms: 5 }), 1_000);
  board.see(root, started("c2", "delegate_task", { task: "Look\u001b[31m at A" }), 2_000);
  board.see(root, started("c3", "delegate_task", { task: "Look at B" }), 2_000);
  board.family(queued(child, "c2", "Look\u001b[31m at A"), 2_000);
  board.family(queued(second, "c3", "Look at B"), 2_000);
  board.family({ kind: "child-started", child, parent: root, concurrent: 1, atMs: 0 }, 2_500);
  board.family({ kind: "child-event", child, parent: root, event: asked("unavailable") }, 3_000);
  board.family(
    { kind: "child-event", child, parent: root, event: started("c1", "read_file", { path: "a.ts" }) },
    3_000,
  );
  board.family({ kind: "child-event", child, parent: root, event: { kind: "request-started", turn: 2 } }, 3_500);
  board.family({ kind: "child-event", child, parent: root, event: { kind: "text", turn: 2, text: "hello" } }, 3_600);
  return board;
}

const frame = (board: RunBoard, rows = 24, columns = 200) =>
  runFrame({
    title: "skein r1",
    board,
    notice: null,
    question: null,
    startedMs: 0,
    nowMs: 5_000,
    columns,
    rows,
    colors,
  }).split("\n");

test("each running call and each child is a line with its time and tokens; a delegation is its child's", () => {
  expect(frame(busy())).toEqual([
    "skein r1 · 5.0 s · 2 requests, unavailable tokens in, 40 out",
    "  ●    4.0 s  bash npm test rm x",
    "  ● a1    2.5 s  1 request, unavailable tokens in, 20 out  Look\ufffd[31m at A",
    "      ●    1.5 s  the model answers: 5 characters",
    "      ●    2.0 s  read_file a.ts",
    "  ◌ a2    3.0 s  waits for a place  Look at B",
  ]);
});

test("a low and narrow terminal is never filled: what does not fit is counted", () => {
  const lines = frame(busy(), 5, 30);
  expect(lines).toEqual([
    expect.stringMatching(/^skein r1 · 5\.0 s · 2 request.*…$/),
    "  ●    4.0 s  bash npm test r…",
    expect.stringMatching(/^ {2}● a1 .*…$/),
    "  … 3 more",
  ]);
});

test("what ended has a line with its time, failures with their begin; a call that delegates leaves it to its child", () => {
  const board = busy();
  const options = { board, root, nowMs: 5_000, colors, live: false };
  const end = {
    kind: "child-ended",
    child,
    parent: root,
    outcome: "limit",
    detail: "30 min are over",
    totals: NO_TOTALS,
    durationMs: 2_500,
  } as const;
  expect([
    eventLines(root, ended("c1", "bash", "exit code 1\nboom", true), options),
    eventLines(child, ended("c1", "read_file", "text"), options),
    eventLines(root, ended("c2", "delegate_task", "done"), options),
    eventLines(root, started("c9", "grep", { pattern: "x" }), options),
    eventLines(root, started("c9", "grep", { pattern: "x" }), { ...options, live: true }),
    familyLines(end, options),
  ]).toEqual([
    ["  ✗ bash npm test rm x 4.0 s", "    error: exit code 1 boom"],
    ["  ✓ a1 read_file a.ts 2.0 s"],
    [],
    ["> grep x"],
    [],
    ["  ✗ a1 Look\ufffd[31m at A limit: 30 min are over 2.5 s, 0 requests, 0 tokens in, 0 out, $0.0000"],
  ]);
});
