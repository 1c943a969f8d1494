// A trace on a terminal: each cell by its sign, no line wider than the screen.

import picocolors from "picocolors";
import { expect, test } from "vitest";
import type { RunTrace, TracedAgent } from "../../report/run-trace.ts";
import { traceLines } from "./trace.ts";

const agent = (id: string, parent: string | null): TracedAgent => ({
  id,
  parent,
  role: "solo",
  model: "m",
  task: "",
  outcome: "stopped",
  startMs: 0,
  endMs: 4_000,
  requests: 1,
  requestWaitingMs: 0,
  modelMs: 1_000,
  calls: 1,
  callsFailed: 1,
  waitingMs: "unavailable",
  hookMs: 400,
  approvalMs: 600,
  executionMs: 2_000,
});

test("a row an agent, children below their parent, and the times in words", () => {
  const span = { queuedFromMs: null, label: "", failed: false } as const;
  const trace: RunTrace = {
    runId: "r1",
    task: "Do it\u001b[31m",
    startedAtMs: 0,
    scripted: true,
    linesUnread: 0,
    agentsMissing: ["a2", "x\u001b[2J"],
    agents: [agent("a0", null), agent("a1", "a0")],
    timeLine: {
      endMs: 4_000,
      agents: [
        {
          id: "a0",
          parent: null,
          startMs: 0,
          endMs: 4_000,
          outcome: "stopped",
          spans: [
            { ...span, kind: "model", startMs: 0, endMs: 1_000 },
            {
              ...span,
              kind: "tool",
              queuedFromMs: 1_000,
              hookMs: 400,
              approvalMs: 600,
              startMs: 2_400,
              endMs: 4_000,
              failed: true,
            },
          ],
        },
        { id: "a1", parent: "a0", startMs: 1_000, endMs: 2_000, outcome: "stopped", spans: [] },
      ],
    },
  };
  const lines = traceLines(trace, { columns: 51, colors: picocolors.createColors(false) });
  const sums =
    "stopped in 4.0 s; 1 request: 1.0 s of the model, 0 ms waiting; 1 call (1 failed): 2.0 s running, unavailable waiting, 400 ms in hooks, 600 ms for approval";
  expect(lines).toEqual([
    "run r1 · scripted model · 4.0 s · 2 agents",
    "Do it\ufffd[31m",
    "",
    "a0        ██████████----hhhh??????▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓x",
    "  a1                ··········",
    "          |0 ms     |1.0 s    |2.0 s    |3.0 s",
    "· idle   - waits for its turn   ░ waits for a child   █ model   ▓ tool   h hooks   ? waits for you   x failed",
    "",
    `a0 ${sums}`,
    `a1 ${sums}`,
    "2 agents without a transcript that can be read, missing here: a2, x\ufffd[2J",
  ]);
});
