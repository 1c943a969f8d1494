// What the harness benchmark prints: medians beside the best peer, and a miss that is marked, never left out.

import { expect, test } from "vitest";
import { type ClientRow, type HarnessReport, jsonOf, tableOf, verdicts } from "../../bench/harness/report.ts";

const figures = (wallMs: number, peakMb: number, span: number | null = null) => ({
  wallMs,
  cpuMs: wallMs,
  peakMb,
  spanMs: span,
  longestMs: span === null ? null : 2_000,
});
const row = (client: string, task: ClientRow["task"], ...runs: ClientRow["runs"]): ClientRow => ({
  client,
  task,
  runs,
  note: null,
});
const report: HarnessReport = {
  machine: "2 cores",
  loadBefore: 0.1,
  runs: 3,
  clients: [
    row("skein", "one", figures(300, 90), figures(420, 90), figures(410, 92)),
    row("bare loop", "one", figures(100, 60)),
    row("codex", "one", figures(330, 140)),
    row("claude", "one", figures(700, 200)),
    row("skein", "ten", figures(2_400, 121, 2_140)),
    row("claude", "ten", figures(4_000, 270, 2_760)),
    { client: "pi", task: "ten", runs: [], note: "has none of its own" },
  ],
  profile: [{ share: 0.25, where: "skein: zod, 60 ms" }],
  children: [],
};

test("a median is met within noise of the best peer, and ten children have limits of their own", () => {
  expect(
    verdicts(report).map(({ task, figure, own, target, best, met }) => [task, figure, own, target, best, met]),
  ).toEqual([
    // 410 is within 25 % of 330; the bare loop is no peer.
    ["one", "wallMs", 410, 330, "codex", true],
    ["one", "cpuMs", 410, 330, "codex", true],
    ["one", "peakMb", 90, 140, "codex", true],
    ["ten", "wallMs", 2_400, 4_000, "claude", true],
    ["ten", "cpuMs", 2_400, 4_000, "claude", true],
    ["ten", "peakMb", 121, 270, "claude", true],
    ["ten", "spanShare", 1.07, 1.05, null, false],
    ["ten", "peakMb", 121, 120, null, false],
  ]);
});

test("the table shows each client, why one was not measured, and what was missed; programs get the same", () => {
  const table = tableOf(report);
  expect(table).toMatch(/^skein {2,}410 ± 60 {2,}410 ± 60 {2,}90 ± 1$/m);
  expect(table).toMatch(/^pi {2,}not measured {2}\(has none of its own\)$/m);
  expect(table).toMatch(/ten children, span ÷ longest {2,}1\.070 {2}≤ 1\.050 {2,}MISSED/);
  const { verdicts: given, clients } = JSON.parse(jsonOf(report));
  expect(given).toEqual(verdicts(report));
  expect(clients[4].medians).toEqual({ wallMs: 2_400, cpuMs: 2_400, peakMb: 121, spanShare: 1.07 });
});
