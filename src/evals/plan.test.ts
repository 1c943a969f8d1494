// The plan: every run once, mixed within each repetition, the same for a seed, and grown without moving what was there.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { unwrap } from "../base/result.ts";
import { makePlan, parsePlan, seedOf, slotName } from "./plan.ts";
import { parseSuite } from "./suite.ts";

const path = join(import.meta.dirname, "..", "..", "evals", "parallelism", "suite.yaml");
const suite = { ...unwrap(parseSuite(readFileSync(path, "utf8"), path), "suite"), digest: "d" };
const plan = (runs: number, seed = suite.seed, conditions: readonly string[] = []) =>
  makePlan({
    suite: { ...suite, seed },
    conditions,
    runs,
    model: "m",
    scriptDigest: null,
    scale: 1,
    skeinVersion: "1",
    madeAtMs: 5,
  });

test("each task runs in each of its conditions as often as asked, and no condition comes as a block", () => {
  const { order } = plan(20);
  const names = order.map(slotName);
  expect([
    names.length,
    new Set(names).size,
    names.filter((name) => name.startsWith("parallel-read/no-delegation")),
  ]).toEqual([100, 100, []]);
  // Each repetition whole before the next, in an order of its own.
  const blocks = Array.from({ length: 20 }, (_, index) => order.slice(index * 5, index * 5 + 5));
  expect(blocks.map((block, index) => block.every(({ repetition }) => repetition === index + 1))).not.toContain(false);
  const orders = blocks.map((block) => block.map(({ task, condition }) => `${task} ${condition}`).join());
  expect(new Set(orders).size).toBeGreaterThan(10);
});

test("a seed gives one order, more runs keep the places of those before, and fewer conditions are possible", () => {
  expect(plan(3)).toEqual(plan(3));
  expect(plan(3, "other").order).not.toEqual(plan(3).order);
  expect(plan(8).order.slice(0, 15)).toEqual(plan(3).order);
  const two = plan(2, suite.seed, ["parallel"]);
  expect([two.conditions.map(({ name }) => name), two.order.map(({ condition }) => condition)]).toEqual([
    ["parallel"],
    Array(4).fill("parallel"),
  ]);
  expect(unwrap(parsePlan(JSON.parse(JSON.stringify(two))), "plan")).toEqual(two);
});

test("what is drawn for a repetition is drawn for all conditions alike", () => {
  const seeds = ["baseline", "parallel"].map((condition) => seedOf(plan(1), { task: "t", condition, repetition: 2 }));
  expect(seeds).toEqual(["20261129.t.2", "20261129.t.2"]);
});
