// The parallelism suite, killed again and again at seeded moments: whatever is cut off, the end is the plan's set of records, and those that
// were there stay what they were.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { unwrap } from "../../src/base/result.ts";
import { seededRandom } from "../../src/base/seeded-random.ts";
import { parsePlan, slotName } from "../../src/evals/plan.ts";
import { sandbox } from "../support/sandbox.ts";
import { skein, startSkein } from "../support/skein.ts";

const killsMax = 12;
const killWithinMs = 4_000;

function recordsIn(results: string): ReadonlyMap<string, string> {
  const runs = join(results, "runs");
  const paths = existsSync(runs) ? readdirSync(runs, { recursive: true, encoding: "utf8" }) : [];
  const records = paths.filter((path) => path.endsWith("record.json")).toSorted();
  return new Map(records.map((path) => [path.replace("/record.json", ""), readFileSync(join(runs, path), "utf8")]));
}

test.each([1, 2])("seed %i", async (seed) => {
  using box = sandbox();
  const results = join(box.root, "results");
  const args = ["eval", "run", "parallelism", "--runs", "2", "--scale", "0.1", "--jobs", "2", "--out", results];
  const random = seededRandom(seed, "eval kills");
  const changed: string[] = [];
  for (let kill = 0; kill < killsMax; kill++) {
    const before = recordsIn(results);
    const started = startSkein(box, { args });
    await Promise.race([started.ended, delay(random.unit() * killWithinMs)]);
    started.kill("SIGKILL");
    await started.ended;
    const after = recordsIn(results);
    for (const [run, text] of before) if (after.get(run) !== text) changed.push(run);
  }
  const ended = await skein(box, { args });
  const plan = unwrap(parsePlan(JSON.parse(readFileSync(join(results, "plan.json"), "utf8"))), "plan");
  expect([ended.exitCode, [...recordsIn(results).keys()], changed], ended.stderr).toEqual([
    0,
    plan.order.map(slotName).toSorted(),
    [],
  ]);
});
