// The demo's assets against real node and git: its project fails before, its script builds it, and nothing in the script is
// dead. Without any of the product's code, so that the two cannot share a mistake.

import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import picomatch from "picomatch";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { git } from "./demo-assets/checkout.ts";
import {
  arbiterAnswers,
  checkout,
  merge,
  passes,
  plan,
  type Rehearsal,
  startRehearsal,
  work,
} from "./demo-assets/rehearsal.ts";
import { loadScript, type Task } from "./demo-assets/script.ts";

const assets = fileURLToPath(new URL("../assets/demo", import.meta.url));
const wholeMs = 240_000;

let root: string;
let rehearsal: Rehearsal;
let rootTasks: readonly Task[];
let functionTasks: readonly Task[];
let decisions: readonly string[];

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "demo-assets-"));
  rehearsal = await startRehearsal(loadScript(join(assets, "script.yaml")), join(assets, "project"), root);
  const [whole, functions] = [await plan(rehearsal, "root"), await plan(rehearsal, "functions")];
  rootTasks = whole.tasks;
  functionTasks = functions.tasks;
  decisions = [...whole.decisions, ...functions.decisions];
});

afterAll(() => rm(root, { recursive: true, force: true }));

const allTasks = () => [...rootTasks, ...functionTasks];
const keys = (tasks: readonly Task[]) => tasks.map(({ key }) => key);

describe("the plan", () => {
  test("has the pieces the demo promises, in an order in which each finds what it waits for", () => {
    expect(keys(allTasks())).toEqual([
      ...["tokenize", "power", "modulo", "evaluate", "functions", "format", "parse", "docs", "cli"],
      ...["rounding", "aggregates"],
    ]);
    for (const siblings of [rootTasks, functionTasks]) {
      for (const [index, { after }] of siblings.entries()) {
        expect(keys(siblings.slice(0, index))).toEqual(expect.arrayContaining(after));
      }
    }
  });

  test("starts the tasks that are to collide, and no task that waits, from the planner's snapshot", () => {
    const fromSnapshot = allTasks().filter(({ base }) => base === "snapshot");
    expect(keys(fromSnapshot)).toEqual(["power", "modulo", "rounding", "aggregates"]);
    expect(fromSnapshot.flatMap(({ after }) => after)).toEqual([]);
  });

  test("asks each question once and refers only to decisions that exist by then", () => {
    expect(new Set(decisions).size).toBe(2);
    expect([...new Set(rootTasks.flatMap((task) => task.decisions))]).toEqual(["d1"]);
    expect([...new Set(functionTasks.flatMap((task) => task.decisions))]).toEqual(["d1", "d2"]);
  });

  test("keeps a subplanner's pieces inside the subplanner's scope", () => {
    const functions = rootTasks.find(({ key }) => key === "functions");
    expect(functions?.scope).toEqual(expect.arrayContaining(functionTasks.flatMap(({ scope }) => scope)));
  });
});

test("the base fails its test command and the check of every task", { timeout: wholeMs }, async () => {
  const { scripts } = JSON.parse(await readFile(join(rehearsal.repository, "package.json"), "utf8"));
  expect(scripts).toEqual({ test: taskOf("cli").check });
  const results: Record<string, boolean> = {};
  for (const { key, check } of allTasks()) results[key] = await passes(rehearsal.repository, check);
  expect(results).toEqual(Object.fromEntries(keys(allTasks()).map((key) => [key, false])));
});

test("the workers' edits build the project", { timeout: wholeMs }, async () => {
  const inOrder = workerOrder();
  const results: Record<string, { check: boolean; outsideScope: string[] }> = {};
  for (const task of inOrder) {
    const before = waitsFor(task);
    const directory = await work(rehearsal, task, before);
    const own = await changedByTask(directory);
    results[task.key] = {
      check: await passes(directory, task.check),
      outsideScope: own.filter((path) => !picomatch.isMatch(path, task.scope)),
    };
  }
  const expected = Object.fromEntries(keys(inOrder).map((key) => [key, { check: true, outsideScope: [] }]));
  expect(results).toEqual(expected);

  // `cli` waits for all others, so its checkout is the finished tree, and its check was the whole test command.
  expect(keys([...waitsFor(taskOf("cli")), taskOf("cli")])).toEqual(keys(inOrder));
  expect(await git(join(root, "cli"), "grep", "-c", "not built yet")).toBe("README.md:1\n");

  await collisions();
  // Planners, workers and the arbiter have all been played by now.
  expect(rehearsal.script.unused()).toEqual([]);
});

/** Both collisions, each side landing first once. Runs inside the test above, on its branches. */
async function collisions(): Promise<void> {
  const trees: Record<string, string[]> = {};
  const conflicts: Record<string, string[]> = {};
  for (const order of [
    ["power", "modulo"],
    ["modulo", "power"],
    ["rounding", "aggregates"],
    ["aggregates", "rounding"],
  ]) {
    const name = order.join("-");
    const pair = order.toSorted().join("+");
    const directory = await checkout(rehearsal, name);
    conflicts[name] = [];
    for (const key of order) conflicts[name].push(...(await merge(rehearsal, directory, key)));
    trees[pair] = [...(trees[pair] ?? []), await git(directory, "rev-parse", "HEAD^{tree}")];
    if (pair !== "modulo+power") continue;
    expect([await passes(directory, taskOf("power").check), await passes(directory, taskOf("modulo").check)]).toEqual([
      true,
      true,
    ]);
  }
  expect(conflicts).toEqual({
    "power-modulo": ["src/operators.js"],
    "modulo-power": ["src/operators.js"],
    "rounding-aggregates": [],
    "aggregates-rounding": [],
  });
  expect(Object.values(trees).map(([first, second]) => first === second)).toEqual([true, true]);
}

test("the arbiter's first answer drops a side, its second keeps both", () => {
  const [first, second] = arbiterAnswers(rehearsal.script);
  const shape = (answer: typeof first) =>
    answer?.map(({ path, hunk, text }) => ({
      path,
      hunk,
      lines: text.split("\n").length - 1,
      power: text.includes('"^": right(3, power)'),
      modulo: text.includes('"%": left(2, modulo)'),
    }));
  expect([shape(first), shape(second)]).toEqual([
    [{ path: "src/operators.js", hunk: 1, lines: 1, power: true, modulo: false }],
    [{ path: "src/operators.js", hunk: 1, lines: 1, power: true, modulo: true }],
  ]);
});

function taskOf(key: string): Task {
  const task = allTasks().find((candidate) => candidate.key === key);
  if (task === undefined) throw new Error(`no task ${key}`);
  return task;
}

/** Worker tasks, the subplanner's in its place. */
function workerOrder(): Task[] {
  return rootTasks.flatMap((task) => (task.kind === "planner" ? functionTasks : [task]));
}

/** Worker tasks that a task waits for, directly or not, in the plan's order. */
function waitsFor(task: Task): Task[] {
  const found = new Set<string>();
  const visit = ({ after }: Task): void => {
    for (const key of after.flatMap((name) => (name === "functions" ? keys(functionTasks) : [name]))) {
      found.add(key);
      visit(taskOf(key));
    }
  };
  visit(task);
  return workerOrder().filter(({ key }) => found.has(key));
}

/** Paths changed by a branch's own commits, merges left out. */
async function changedByTask(directory: string): Promise<string[]> {
  const output = await git(directory, "log", "--first-parent", "--no-merges", "--name-only", "--format=", "main..HEAD");
  return [...new Set(output.split("\n").filter(Boolean))];
}
