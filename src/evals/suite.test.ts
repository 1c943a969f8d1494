// Suites that are wrong say where; the one that comes with skein has two instructions that differ by one sentence.

import { appendFileSync, chmodSync, cpSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { nodeHost } from "../adapters/node/host.ts";
import { unwrap } from "../base/result.ts";
import { temporaryDirectory } from "../testing/git/real-repository.ts";
import { checksOf, conditionsOf, loadSuite, parseSuite } from "./suite.ts";

const directory = join(import.meta.dirname, "..", "..", "evals", "parallelism");

const problems = (text: string): readonly string[] => {
  const parsed = parseSuite(text, "suite.yaml");
  return parsed.ok || parsed.error.kind !== "eval-suite" ? [] : parsed.error.message.split("\n");
};

test("whatever of a suite's files changes, it is another suite", async () => {
  using place = temporaryDirectory();
  const copy = join(place.path, "suite");
  cpSync(directory, copy, { recursive: true });
  const digest = async () => unwrap(await loadSuite(nodeHost().files, copy), "suite").digest;
  const workspace = join(copy, "tasks", "parallel-read", "workspace");
  const seen = [await digest(), await digest()];
  for (const change of [
    () => appendFileSync(join(copy, "model.yaml"), "\n"),
    () => writeFileSync(join(workspace, "new.txt"), ""),
    () => renameSync(join(workspace, "new.txt"), join(workspace, "old.txt")),
    () => chmodSync(join(workspace, "old.txt"), 0o755),
    () => symlinkSync("old.txt", join(workspace, "link")),
  ]) {
    change();
    seen.push(await digest());
  }
  expect([seen[0] === seen[1], new Set(seen).size]).toEqual([true, 6]);
});

const head = "name: s\nabout: a\nseed: 1\n";
const task = (checks: string) => `tasks: [{name: t, about: a, tools: [grep], checks: [${checks}]}]\n`;

test("errors name the field", () => {
  const good = "{name: c, aspect: format, kind: output, equals: x}";
  const conditions = "conditions: [{name: one, changes: nothing}]\n";
  expect([
    problems(`${head}${conditions}${task(good)}`),
    problems(`${head}${conditions}${task("{name: c, aspect: format, kind: output}")}`),
    problems(`${head}${conditions}${task("{name: c, aspect: form, kind: output, equals: x}")}`),
    problems(`${head}${conditions}${task("{name: c, aspect: format, kind: output, matches: '('}")}`),
    problems(`${head}${conditions}${task("{name: c, aspect: format, kind: output, equals: x, except: [two]}")}`),
    problems(`${head}conditions: [{name: one, changes: a, tasks: [u]}, {name: one, changes: a}]\n${task(good)}`),
    problems(`${head}${conditions}more: 1\n${task(good)}`),
    problems("a: [").slice(0, 1),
  ]).toEqual([
    [],
    ["tasks.0.checks.0: it checks nothing: equals or matches is needed"],
    ['tasks.0.checks.0.aspect: Invalid option: expected one of "value"|"format"|"process"'],
    ["tasks.0.checks.0.matches: Invalid regular expression: /(/: Unterminated group"],
    ["tasks.0.checks.0.except: no condition is called two"],
    ["conditions: one stands there twice", "conditions.0.tasks: no task is called u"],
    ['the file: Unrecognized key: "more"'],
    [expect.stringMatching(/^not valid YAML: /)],
  ]);
});

test("no-delegation leaves out the tool, the sentence and the checks of delegation, and nothing else", async () => {
  const suite = unwrap(await loadSuite(nodeHost().files, directory), "suite");
  const [explore] = suite.tasks.filter(({ name }) => name === "parallel-explore");
  if (explore === undefined) throw new Error("no such task");
  const conditions = conditionsOf(suite, "parallel-explore");
  const [instruction, alone] = ["parallel", "no-delegation"].map((name) => suite.instruction("parallel-explore", name));
  const sentence = "Delegate each module to one child of its own, and ask for all three children in one response.\n\n";
  const names = (condition: string) => checksOf(explore, condition).map(({ name }) => name);
  expect({
    conditions: conditions.map(({ name, tools = explore.tools }) => [name, tools]),
    alone,
    left: names("parallel").filter((name) => !names("no-delegation").includes(name)),
    read: conditionsOf(suite, "parallel-read").map(({ name }) => name),
  }).toEqual({
    conditions: [
      ["baseline", ["read_file", "glob", "grep", "delegate_task"]],
      ["parallel", ["read_file", "glob", "grep", "delegate_task"]],
      ["no-delegation", ["read_file", "glob", "grep"]],
    ],
    alone: instruction?.replace(sentence, ""),
    left: ["delegated-at-once", "only-their-task"],
    read: ["baseline", "parallel"],
  });
  expect(instruction).toContain(sentence);
});

test("the scripted model of the suite has no answer in it", () => {
  const model = readFileSync(join(directory, "model.yaml"), "utf8");
  const answers = ["30909", "7311", "8420", "9133", "6045", "2750", "4200", "1850", "1500", "350"];
  expect(answers.filter((answer) => model.includes(answer))).toEqual([]);
});
