// The parallelism suite on the real program, stopped and killed on the way: what is on disk at the end is what one undisturbed start would
// have left, and is judged and reported without a model.

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { unwrap } from "../../src/base/result.ts";
import { seededRandom } from "../../src/base/seeded-random.ts";
import { parsePlan, slotName } from "../../src/evals/plan.ts";
import { parseRecord, type RunRecord } from "../../src/evals/record.ts";
import { parseVerdict } from "../../src/evals/verdict.ts";
import { sandbox } from "../support/sandbox.ts";
import { lastJson, skein, startSkein } from "../support/skein.ts";

const read = (path: string): unknown => JSON.parse(readFileSync(path, "utf8"));

const recordsIn = (results: string): readonly string[] =>
  existsSync(join(results, "runs"))
    ? readdirSync(join(results, "runs"), { recursive: true, encoding: "utf8" })
        .filter((path) => path.endsWith("record.json"))
        .map((path) => path.replace("/record.json", ""))
        .toSorted()
    : [];

test("a suite that is stopped and killed ends with the records of its plan, each run once, and is judged again from disk", async () => {
  using box = sandbox();
  const results = join(box.root, "results");
  const args = [
    "eval",
    "run",
    "parallelism",
    "--conditions",
    "baseline,parallel",
    "--runs",
    "1",
    "--scale",
    "0.02",
    "--out",
    results,
  ];
  const random = seededRandom(20_261_130, "eval kills");
  const seen: (readonly string[])[] = [];
  for (const signal of ["SIGINT", "SIGKILL"] as const) {
    const started = startSkein(box, { args });
    const before = recordsIn(results).length;
    const over = started.ended.then(() => true);
    // After its first record, and then anywhere within the next run.
    while (recordsIn(results).length <= before) if (await Promise.race([over, delay(10, false)])) break;
    await delay(random.unit() * 600);
    started.kill(signal);
    const ended = await started.ended;
    if (signal === "SIGINT")
      expect([ended.exitCode, ended.stderr]).toEqual([130, expect.stringContaining("go on with the same command")]);
    seen.push(recordsIn(results));
  }
  const kept = recordsIn(results).map((run) => [run, readFileSync(join(results, "runs", run, "record.json"), "utf8")]);
  const ended = await skein(box, { args: [...args, "--json"] });
  const plan = unwrap(parsePlan(read(join(results, "plan.json"))), "plan");
  expect(
    {
      exitCode: ended.exitCode,
      records: recordsIn(results),
      first: seen[0]?.length,
      left: readdirSync(results).toSorted(),
      unchanged: kept.every(
        ([run, text]) => readFileSync(join(results, "runs", String(run), "record.json"), "utf8") === text,
      ),
      json: Object.keys(lastJson(ended)),
    },
    ended.stderr,
  ).toEqual({
    exitCode: 0,
    records: plan.order.map(slotName).toSorted(),
    first: 1,
    left: [
      "eval.lock",
      "plan.json",
      "proof",
      "report.html",
      "report.json",
      "report.md",
      "runs",
      "suite",
      "trajectories",
    ],
    unchanged: true,
    json: ["directory", "total", "done", "stopped", "files", "report"],
  });

  // What the runs themselves wrote, counted here by hand: three children of one response, at work at the same time or not.
  const record = (condition: string): RunRecord =>
    unwrap(parseRecord(read(join(results, "runs", "parallel-explore", condition, "001", "record.json"))), condition);
  const [baseline, parallel] = [record("baseline"), record("parallel")];
  const facts = ({ agents, figures, delegationsPerResponse, delegations, models, answer, faults }: RunRecord) => ({
    requests: figures.requests.value,
    delegationsPerResponse,
    peak: figures.peakConcurrency.value,
    contexts: delegations.map(({ context }) => context),
    models,
    answer,
    faults,
    tools: [...new Set(agents.map((agent) => agent.tools.join()))],
  });
  const same = {
    requests: parallel.figures.requests.value,
    delegationsPerResponse: { 3: 1 },
    contexts: ["task-only", "task-only", "task-only"],
    models: ["script:model.yaml#seed=20261129.parallel-explore.1,variant=1,scale=0.02"],
    answer: "auth=2750\nbilling=4200\nsearch=1850",
    faults: [],
    tools: ["read_file,glob,grep,delegate_task"],
  };
  expect([facts(baseline), facts(parallel)]).toEqual([
    { ...same, peak: 1 },
    { ...same, peak: 3 },
  ]);

  // A broken verdict is made anew; a changed answer is judged as what it is.
  const run = (condition: string, file: string) => join(results, "runs", "parallel-read", condition, "001", file);
  writeFileSync(run("parallel", "verdict.json"), "{");
  const answered = unwrap(parseRecord(read(run("baseline", "record.json"))), "record");
  writeFileSync(run("baseline", "record.json"), JSON.stringify({ ...answered, answer: "35909" }));
  const judged = lastJson(await skein(box, { args: ["eval", "judge", results, "--json"] }));
  const verdict = unwrap(parseVerdict(read(run("baseline", "verdict.json"))), "verdict");
  expect([judged, verdict.failure]).toEqual([
    expect.objectContaining({ judged: 4, passed: 3, excluded: 0, missing: 0 }),
    { kind: "model", detail: "sum: the sum is given as 35909, not 30909 (added: legacy)" },
  ]);

  const other = await skein(box, { args: ["eval", "run", "parallelism", "--scale", "1", "--out", results] });
  expect([other.exitCode, other.stderr]).toEqual([
    2,
    expect.stringContaining("it holds results of another plan: its scale is 0.02, not 1"),
  ]);
});

test("a suite whose checks do not tell right from wrong is refused before anything is measured", async () => {
  using box = sandbox();
  const suite = join(box.root, "evals", "lax");
  const task = join(suite, "tasks", "say");
  mkdirSync(join(task, "workspace"), { recursive: true });
  writeFileSync(
    join(suite, "suite.yaml"),
    `name: lax
about: Its check lets everything pass
seed: 1
conditions: [{ name: only, changes: nothing }]
tasks:
  - { name: say, about: Say yes, tools: [read_file], checks: [{ name: any, aspect: format, kind: output, matches: ".*" }] }
`,
  );
  writeFileSync(join(task, "instruction.md"), "Say yes.\n");
  writeFileSync(join(task, "oracle.yaml"), "rules: [{ say: 'yes' }]\n");
  writeFileSync(join(task, "wrong.yaml"), "rules: [{ say: 'no' }]\n");
  const listed = await skein(box, { args: ["eval", "list", "--json"] });
  const run = await skein(box, { args: ["eval", "run", "lax", "--model", "script:none.yaml"] });
  const unknown = await skein(box, { args: ["eval", "run", "lacks"] });
  expect({
    listed: JSON.parse(listed.stdout).map(({ name }: { readonly name: string }) => name),
    run: [run.exitCode, run.stdout, run.stderr],
    plan: existsSync(join(box.root, "eval-results", "lax", "plan.json")),
    unknown: [unknown.exitCode, unknown.stderr.split("\n")[0]?.replace(/: no suite.yaml in .*/, "")],
  }).toEqual({
    listed: ["lax", "parallelism"],
    run: [2, "", expect.stringContaining("its checks do not tell right from wrong\n  say: the wrong solution passes")],
    plan: false,
    unknown: [2, "skein: there is no suite lacks"],
  });
});
