// Frames of the live screen in terminals of any size, and with names that try to break out.

import picocolors from "picocolors";
import { expect, test } from "vitest";
import { asTaskId } from "../../base/ids.ts";
import { emptyBill } from "../../swarm/bill.ts";
import type { RunSummary, TaskLine } from "../../swarm/view.ts";
import { progressFrame } from "./progress.ts";

const summary: RunSummary = {
  runId: "20261129-230501-ab3d",
  state: "running",
  reason: "",
  tasks: { done: 1, failed: 0, dropped: 0, open: 2 },
  planners: 1,
  commits: 1,
  merges: 0,
  conflicts: { found: 0, resolved: 0 },
  wallMs: 1_000,
  requests: { made: 0, failed: 0, untold: 0, attempts: 0 },
  roles: {},
  total: emptyBill(),
  models: ["m"],
  scripted: false,
};
const line = (id: string, more: Partial<TaskLine>): TaskLine => ({
  id: asTaskId(id),
  depth: 0,
  key: id,
  title: `Do ${id}`,
  role: "worker",
  look: "done",
  agent: null,
  detail: "",
  runningMs: null,
  ...more,
});
const lines = [
  line("root", { role: "planner", look: "waits" }),
  line("one", {}),
  line("two", { look: "running", detail: "x\u001b[2J\u202e\ny" }),
];
const frame = (columns: number, rows: number, goal = "the goal"): readonly string[] =>
  progressFrame({
    summary,
    spending: { budgetUsd: null, spentUsd: 0, knownUsd: 0, assumedUsd: 0, requestsAssumed: 0 },
    goal,
    lines,
    step: null,
    columns,
    rows,
    colors: picocolors.createColors(false),
  }).split("\n");

test.each([
  [20, 6],
  [20, 5],
  [10, 4],
  [40, 3],
  [1, 2],
  [80, 9],
  [80, 24],
])("%i x %i: it fits, and the count of tasks is there", (columns, rows) => {
  const shown = frame(columns, rows);
  expect(shown.length).toBeLessThan(rows);
  expect(shown.filter((row) => [...row].length > columns)).toEqual([]);
  expect(shown.some((row) => row.startsWith("tasks: 1 done".slice(0, Math.max(0, columns - 1))))).toBe(true);
});

test("20 x 6", () => {
  expect(frame(20, 6)).toMatchInlineSnapshot(`
    [
      "skein 20261129-2305…",
      "◌ root   waits     …",
      "tasks: 1 done, 1 ru…",
      "landed: 1 commit, 0…",
      "model: 0 requests, …",
    ]
  `);
});

test("no control character of a name, a goal or an activity stands in a frame", () => {
  const shown = frame(80, 24, "a\u001b]0;title\u0007b\rc\u009b2J").join("\n");
  expect([...shown].filter((char) => /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/.test(char))).toEqual([]);
});
