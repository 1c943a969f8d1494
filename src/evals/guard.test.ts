// What somebody else changes in the results is found, named once, and told apart from what is written as it should be.

import { mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { nodeHost } from "../adapters/node/host.ts";
import { temporaryDirectory } from "../testing/git/real-repository.ts";
import { ResultsGuard } from "./guard.ts";

const slot = (repetition: number) => ({ task: "t", condition: "c", repetition });
const order = [1, 2, 3, 4].map(slot);

test("a changed, an added and a removed file are found though size and times are as before; forged runs too; runs at work are ours", async () => {
  using directory = temporaryDirectory();
  const at = (...parts: readonly string[]) => join(directory.path, ...parts);
  const run = (repetition: number) => at("runs", "t", "c", `00${repetition}`);
  for (const repetition of [1, 2, 4]) mkdirSync(run(repetition), { recursive: true });
  for (const path of [at("plan.json"), join(run(1), "record.json"), join(run(2), "record.json")])
    writeFileSync(path, '{"passed":false}');
  const guard = new ResultsGuard(nodeHost().files, directory.path, { order });
  for (const place of [at("plan.json"), at("suite"), run(1), run(2)]) await guard.seal(place);
  const nothing = await guard.changed();
  guard.open(slot(4));
  writeFileSync(join(run(4), "record.json"), "{}");
  const own = await guard.changed();
  const before = new Date(1_000);
  utimesSync(at("plan.json"), before, before);
  await guard.seal(at("plan.json"));
  writeFileSync(at("plan.json"), readFileSync(at("plan.json"), "utf8").replace("false", "true "));
  utimesSync(at("plan.json"), before, before);
  const plan = await guard.changed();
  mkdirSync(at("suite"));
  writeFileSync(at("suite", "suite.yaml"), "");
  rmSync(join(run(2), "record.json"));
  mkdirSync(run(3));
  writeFileSync(join(run(3), "record.json"), "{}");
  const more = await guard.changed();
  expect({ nothing, own, plan, more }).toEqual({
    nothing: null,
    own: null,
    plan: { paths: ["plan.json"], runs: [], made: 0 },
    more: {
      paths: ["suite", "runs/t/c/002/record.json", "runs/t/c/003/record.json"],
      runs: [slot(2), slot(3)],
      made: 1,
    },
  });
});
