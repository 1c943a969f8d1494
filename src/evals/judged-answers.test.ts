// The judge on a kept set of answers of the parallelism suite: right, wrong sums with their causes, right values in another form, extra
// words, line ends, nothing, errors. What is right was decided by hand.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { unwrap } from "../base/result.ts";
import type { Check } from "./check-spec.ts";
import { judgeOutput } from "./checks/output.ts";
import { judgeSum } from "./checks/sum.ts";
import { judgeValues } from "./checks/values.ts";
import { parseSuite } from "./suite.ts";

const directory = join(import.meta.dirname, "..", "..", "evals", "parallelism");
const SET = z.array(
  z.strictObject({
    task: z.string(),
    answers: z.array(
      z.strictObject({
        answer: z.string(),
        value: z.enum(["right", "wrong"]),
        format: z.enum(["right", "wrong"]),
        cause: z.string().nullable().default(null),
      }),
    ),
  }),
);
const set = SET.parse(parse(readFileSync(join(directory, "judged.yaml"), "utf8")));
const suite = unwrap(parseSuite(readFileSync(join(directory, "suite.yaml"), "utf8"), "suite.yaml"), "suite");

function judged(check: Check, answer: string) {
  if (check.kind === "output") return judgeOutput(check, answer);
  if (check.kind === "sum") return judgeSum(check, answer);
  if (check.kind === "values") return judgeValues(check, answer);
  throw new Error(`no check of an answer: ${check.kind}`);
}

test("the suite's numbers are those of its files: 7311 + 8420 + 9133 + 6045 = 30909, and 1500 + 350 = 1850", () => {
  const workspace = (task: string, path: string) =>
    readFileSync(join(directory, "tasks", task, "workspace", path), "utf8");
  const port = (name: string) => /^port = (\d+)$/m.exec(workspace("parallel-read", `services/${name}.ini`))?.[1];
  const source = (path: string, pattern: RegExp) => pattern.exec(workspace("parallel-explore", path))?.[1];
  expect({
    ports: ["auth", "billing", "search", "notify", "legacy"].map(port),
    auth: source("src/auth/index.js", /^export const TIMEOUT_MS = (\d+);$/m),
    billing: source("src/billing/index.js", /^export const TIMEOUT_MS = (\d+);$/m),
    search: source("src/search/index.js", /^export const TIMEOUT_MS = BASE_TIMEOUT_MS \+ (\d+);$/m),
    base: source("src/search/limits.js", /^export const BASE_TIMEOUT_MS = (\d+);$/m),
  }).toEqual({
    ports: ["7311", "8420", "9133", "6045", "5000"],
    auth: "2750",
    billing: "4200",
    search: "350",
    base: "1500",
  });
});

test.each(set)("$task: each kept answer is judged as it was by hand", ({ task, answers }) => {
  const checks = suite.tasks.find(({ name }) => name === task)?.checks ?? [];
  const of = (aspect: string) => checks.find((check) => check.aspect === aspect);
  const [value, format] = [of("value"), of("format")];
  if (value === undefined || format === undefined) throw new Error(`${task} judges no value or no format`);
  const said = answers.map(({ answer }) => {
    const found = judged(value, answer);
    const right = (passed: boolean) => (passed ? "right" : "wrong");
    return { answer, value: right(found.passed), format: right(judged(format, answer).passed), cause: found.cause };
  });
  expect(said).toEqual(answers);
  expect(answers.length).toBeGreaterThanOrEqual(60);
});
