// Time lines as drawn: what overlaps lies in lanes, children below their parent, nobody and nothing left out without a word.

import { expect, test } from "vitest";
import type { AgentLine, RunLine, Span } from "../report.ts";
import { timeLine } from "./time-line.ts";

const scale = { max: 100, ticks: [] };
const span = (startMs: number, endMs: number, more: Partial<Span> = {}): Span => ({
  kind: "tool",
  queuedFromMs: null,
  startMs,
  endMs,
  label: "grep",
  failed: false,
  ...more,
});
const agent = (id: string, parent: string | null, spans: readonly Span[] = []): AgentLine => ({
  id,
  parent,
  startMs: 0,
  endMs: 100,
  outcome: "stopped",
  spans,
});

function drawn(...agents: readonly AgentLine[]): string {
  const run: RunLine = {
    id: "task/a/001",
    group: 0,
    repetition: 1,
    model: "m",
    passed: true,
    valueRight: null,
    formatRight: null,
    processRight: null,
    failure: null,
    checksFailed: [],
    answer: "",
    wallMs: 100,
    waitingMs: null,
    timeLine: { endMs: 100, agents },
  };
  return timeLine(run, scale).text;
}

test("spans that overlap, their waits included, lie in lanes of their own; what comes after takes the first that is free", () => {
  const page = drawn(
    agent("a0", null, [
      span(0, 10, { kind: "model", failed: true }),
      span(20, 40),
      span(30, 50),
      span(60, 90, { kind: "delegation", queuedFromMs: 35 }),
      span(50, 55),
    ]),
  );
  const bars = [...page.matchAll(/<rect class="([^"]+)" x="([^"]+)" width="([^"]+)" y="(\d+)"/g)].map((found) =>
    found.slice(1),
  );
  // A lane is 9 pixels high, and the first begins at 2.
  expect(bars).toEqual([
    ["alive", "0%", "100%", "0"],
    ["model failed", "0%", "10%", "2"],
    ["tool", "20%", "20%", "2"],
    ["tool", "30%", "20%", "11"],
    ["queued", "35%", "25%", "20"],
    ["delegation", "60%", "30%", "20"],
    ["tool", "50%", "5%", "2"],
  ]);
  expect(page).toContain("<title>model request: grep, 10 ms from 0 ms, failed</title>");
});

test("children stand below their parent, and those of a lost parent or of themselves at the top", () => {
  const page = drawn(
    agent("a0", null),
    agent("a1", "a0"),
    agent("a2", "a0"),
    agent("a3", "a1"),
    agent("a4", "a9"),
    agent("a5", "a5"),
  );
  const names = [...page.matchAll(/<span class="label"[^>]*>([^<]*)</g)].map((found) =>
    found[1]?.replaceAll("\u00a0", " "),
  );
  expect(names).toEqual(["a0", "  └ a1", "    └ a3", "  └ a2", "a4", "a5"]);
});

test("more spans than a page can hold are not drawn, and said to be missing", () => {
  const page = drawn(
    agent(
      "a0",
      null,
      Array.from({ length: 2_003 }, () => span(0, 1)),
    ),
  );
  expect([page.match(/<rect class="tool"/g)?.length, page.includes("3 more are not drawn")]).toEqual([2_000, true]);
});

test("a run of which nothing is known says so", () => {
  expect(drawn()).toContain("Nothing was recorded of this run.");
});
