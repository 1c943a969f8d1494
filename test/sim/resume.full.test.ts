// Two hundred and fifty seeds of the demo's swarm through interruptions of every kind at any time.

import { expect, test } from "vitest";
import { type Fault, runThrough } from "./interruptions.ts";
import { essence, interruptionsOf, undisturbed, work } from "./resumed.ts";

const kills: readonly [Fault, ...Fault[]] = ["host", "coordinator", "both", "stop", "stop now"];
const seedsOf = (first: number, count: number) => Array.from({ length: count }, (_, index) => first + index);

test.each(seedsOf(5_000, 150))("S6 S12 S15 seed %i ends as if it had not been interrupted", async (seed) => {
  const outcome = await runThrough(seed, interruptionsOf(seed, 1 + (seed % 7), kills));
  expect(essence(outcome)).toEqual(essence(await undisturbed));
  expect(work(outcome)).toEqual(work(await undisturbed));
});

test.each(seedsOf(6_000, 50))("S6 S12 S15 seed %i comes to the same tree when the power goes too", async (seed) => {
  const outcome = await runThrough(seed, interruptionsOf(seed, 1 + (seed % 4), [...kills, "power"]));
  expect(essence(outcome)).toEqual(essence(await undisturbed));
});

const environment: readonly [Fault, ...Fault[]] = ["full disk", "full disk for all", "provider", "host", "stop"];

test.each(seedsOf(7_000, 50))(
  "H16 S12 S21 seed %i comes to the same tree where disk and provider fail too",
  async (seed) => {
    const outcome = await runThrough(seed, interruptionsOf(seed, 1 + (seed % 4), environment));
    expect(essence(outcome)).toEqual(essence(await undisturbed));
    expect(outcome.records.filter(({ type }) => type === "task_failed")).toEqual([]);
  },
);
