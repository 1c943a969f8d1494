// What the benchmark prints: a figure with its conditions, its target and whether it was met, the same for people and for programs.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { median, rateOf } from "../../bench/vcs/machine.ts";
import { profileLines } from "../../bench/vcs/profile.ts";
import { BenchRandom, idOf, textOf } from "../../bench/vcs/random.ts";
import { jsonOf, type Report, type Row, tableOf } from "../../bench/vcs/report.ts";

const row: Row = {
  measure: "commits/s",
  value: 9_000,
  unit: "/s",
  spread: 0.2,
  target: { atLeast: 10_000 },
  note: "256",
};
const report: Report = {
  machine: "2 × cpu",
  quick: false,
  loadBefore: 3,
  fdatasync: { perSecond: 1_234.5, spread: 0.5 },
  isQuiet: false,
  rows: [row, { ...row, measure: "p99", value: 12.34, unit: "ms", spread: null, target: { atMost: 60 }, note: "" }],
  profile: [{ share: 0.25, where: "fdatasync" }],
};

test("a table says what was measured, under which conditions, and which targets were missed", () => {
  expect(tableOf(report)).toBe(`2 × cpu
load before 3.00, fdatasync 1235/s, spread 50 %: NOT quiet: rates and latencies are those of a busy machine

commits/s  9,000 /s  ± 10 %  ≥ 10,000 MISSED (busy machine)  256
p99        12.3 ms           ≤ 60.0 reached

where the server's time goes at 256 writers:
    25 %  fdatasync`);
  const { rows } = JSON.parse(jsonOf(report));
  expect(rows.map(({ value, met }: { value: number; met: boolean }) => [value, met])).toEqual([
    [9_000, false],
    [12.34, true],
  ]);
});

test("medians and spreads, by hand", () => {
  expect([median([3, 1, 2]), median([4, 1, 2, 3]), rateOf([100, 80, 120]), rateOf([5])]).toEqual([
    2,
    2.5,
    { median: 100, spread: 0.4 },
    { median: 5, spread: null },
  ]);
});

test("a profile's lines are shares of the time that was not idle", () => {
  const directory = mkdtempSync(join(tmpdir(), "skein-profile-"));
  const node = (id: number, functionName: string, url: string) => ({
    id,
    callFrame: { functionName, url, lineNumber: 1 },
  });
  const nodes = [node(1, "(idle)", ""), node(2, "fdatasync", ""), node(3, "commit", "file:///dist/chunk-AB12CD34.js")];
  writeFileSync(
    join(directory, "CPU.cpuprofile"),
    JSON.stringify({ nodes, samples: [1, 2, 3, 3], timeDeltas: [1_000, 100, 200, 100] }),
  );
  const lines = profileLines(directory, 5);
  rmSync(directory, { recursive: true });
  expect(lines).toEqual([
    { where: "commit (chunk.js)", share: 0.75 },
    { where: "fdatasync", share: 0.25 },
  ]);
});

test("contents are of the length that is asked for, whole lines, and each its own", () => {
  const random = new BenchRandom(1);
  const texts = [textOf(4_096, random, "a"), textOf(4_096, random, "b"), textOf(200, random, "c")];
  expect([texts.map(({ length }) => length), new Set(texts.map(idOf)).size, texts.map((text) => text.at(-1))]).toEqual([
    [4_096, 4_096, 200],
    3,
    [10, 10, 10],
  ]);
});
