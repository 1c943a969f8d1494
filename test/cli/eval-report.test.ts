// `skein eval report` and `skein eval compare` on results that lie on the disk: what they write, what they print, and that the results
// stay as they are.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import type { EvalResults } from "../../src/evals/results.ts";
import { ATIF } from "../../src/testing/evals/atif-schema.ts";
import { type MadeRun, madeResults } from "../../src/testing/evals/made-results.ts";
import { sandbox } from "../support/sandbox.ts";
import { skein } from "../support/skein.ts";

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** As `skein eval run` leaves it: a plan, and for each run a record, a verdict and transcripts. */
function writeResults({ directory, plan, runs }: EvalResults): void {
  write(join(directory, "plan.json"), JSON.stringify(plan));
  for (const { directory: run, record, verdict } of runs) {
    write(join(run, "record.json"), JSON.stringify(record));
    if (verdict !== null) write(join(run, "verdict.json"), JSON.stringify(verdict));
    const start = { type: "start", agent: "a0", parent: null, at_ms: 0, role: "solo", provider: "script:made" };
    const asked = { type: "message", turn: 0, at_ms: 1, message: { role: "user", text: "Add the ports." } };
    write(
      join(run, "state", "runs", "workspace-1", "20261130-000000-aaaa", "agents", "a0.jsonl"),
      `${JSON.stringify({ ...start, scripted: true, system: "Be brief.", tools: [] })}\n${JSON.stringify(asked)}\n`,
    );
  }
}

const wall = (condition: string, ...values: readonly number[]): readonly MadeRun[] =>
  values.map((wallMs) => ({ condition, figures: { wallMs, waitingMs: wallMs - 100, workingMs: 100 } }));
const before = [
  ...wall("baseline", 18_000, 18_300, 18_500, 18_900),
  ...wall("parallel", 10_500, 10_900, 10_940, 11_200),
];
const lost: MadeRun = { condition: "parallel", verdict: { excluded: { reason: "environment", detail: "no rg" } } };

/** The names of all files below, but of transcripts. */
function filesBelow(directory: string): readonly string[] {
  const names = readdirSync(directory, { recursive: true, encoding: "utf8" });
  return names.filter((name) => /\.\w+$/.test(name) && !name.endsWith(".jsonl")).toSorted();
}

test("a report is written as text, data and a page, with a trajectory for each run, and the results stay as they are", async () => {
  using box = sandbox();
  const directory = join(box.root, "results");
  const results = madeResults({ directory, runs: [...before, lost] });
  writeResults(results);
  const recorded = filesBelow(directory);
  const shown = await skein(box, { args: ["eval", "report", "results"] });
  expect(shown.exitCode, shown.stderr).toBe(0);
  const names = ["001", "002", "003", "004"];
  const trajectories = [
    ...names.map((name) => `baseline/${name}`),
    ...[...names, "005"].map((name) => `parallel/${name}`),
  ].map((name) => `trajectories/task/${name}.json`);
  expect(filesBelow(directory)).toEqual(
    [...recorded, "report.html", "report.json", "report.md", ...trajectories].toSorted(),
  );
  const text = readFileSync(join(directory, "report.md"), "utf8");
  expect(shown.stdout).toBe(text);
  expect(text.split("\n").filter((line) => /scripted|^- wall time|\(medians\)|no rg/i.test(line))).toEqual([
    expect.stringContaining("they are no finding about models"),
    expect.stringContaining("8 runs counted, 1 excluded; model script:made (scripted)"),
    "- baseline: of 18.4 s (medians), 18.3 s (99.5 %) passed while a model request was open; 100 ms was skein's own work and its tools'.",
    "- parallel: of 10.9 s (medians), 10.8 s (99.1 %) passed while a model request was open; 100 ms was skein's own work and its tools'.",
    expect.stringMatching(
      /^- wall time: 18\.4 s → 10\.9 s, −7\.5 s \(−41 %\), 95 % interval −8\.\d s to −[67]\.\d s: more than noise\.$/,
    ),
    "- task, parallel, run 5: environment: no rg",
  ]);
  expect(JSON.parse(readFileSync(join(directory, "report.json"), "utf8"))).toMatchObject({
    version: 1,
    kind: "report",
    excluded: [{ repetition: 5, reason: "environment" }],
  });
  for (const name of trajectories)
    expect(ATIF.safeParse(JSON.parse(readFileSync(join(directory, name), "utf8"))).error?.issues).toBeUndefined();
});

test("two directories are compared, and only --out writes; a directory without results is refused", async () => {
  using box = sandbox();
  for (const [name, runs] of [
    ["a", before],
    ["b", before.map((run) => ({ ...run }))],
  ] as const)
    writeResults(madeResults({ directory: join(box.root, name), runs }));
  const [compared, written, refused] = await Promise.all([
    skein(box, { args: ["eval", "compare", "a", "b"] }),
    skein(box, { args: ["eval", "compare", "a", "b", "--out", "new/compared", "--json"] }),
    skein(box, { args: ["eval", "report", "nothing", "--json"] }),
  ]);
  expect([compared.exitCode, written.exitCode, refused.exitCode], compared.stderr).toEqual([0, 0, 2]);
  // The same runs on both sides: whatever the interval, it holds 0.
  expect(compared.stdout).toMatch(
    /### B baseline against A baseline\n\n(?:- .*\n)*- wall time: 18\.4 s → 18\.4 s, 0 ms, .*: cannot be told from noise\.\n/,
  );
  const { report, files } = JSON.parse(written.stdout);
  expect([report.kind, report.sources.length, files, filesBelow(join(box.root, "new"))]).toEqual([
    "comparison",
    2,
    {
      markdown: join(box.root, "new", "compared", "comparison.md"),
      json: join(box.root, "new", "compared", "comparison.json"),
      html: join(box.root, "new", "compared", "comparison.html"),
    },
    ["compared/comparison.html", "compared/comparison.json", "compared/comparison.md"],
  ]);
  expect(filesBelow(join(box.root, "a")).filter((name) => /report|comparison|trajector/.test(name))).toEqual([]);
  expect(JSON.parse(refused.stdout)).toMatchObject({ error: expect.stringContaining("nothing"), exitCode: 2 });
});
