// The demo's swarm, interrupted in every way and gone on with: it comes to the tree of an undisturbed run, nothing lands twice, and no
// answer is paid for twice.

import { describe, expect, test } from "vitest";
import { rounds } from "../../src/testing/rounds.ts";
import { type Fault, runThrough } from "./interruptions.ts";
import { abandonedWorkspaces } from "./reading.ts";
import { billOf, essence, interruptionsOf, scriptBill, undisturbed, work } from "./resumed.ts";

const kills: readonly [Fault, ...Fault[]] = ["host", "coordinator", "both"];
const stops: readonly [Fault, ...Fault[]] = ["stop", "stop now"];

test("S27 an undisturbed run has the bill of its script", async () => {
  expect(billOf(await undisturbed)).toEqual(scriptBill());
});

describe("a run that is interrupted again and again", () => {
  test.each(rounds([3, 4], [1, 2, 3, 4]))("S6 S12 by kill -9 (seed %i) ends as if it had not been", async (seed) => {
    const outcome = await runThrough(seed, interruptionsOf(seed, 4, kills));
    expect(essence(outcome)).toEqual(essence(await undisturbed));
    expect(work(outcome)).toEqual(work(await undisturbed));
  });

  test.each(rounds([12], [11, 12]))(
    "S12 by Ctrl-C, once or twice (seed %i), ends as if it had not been",
    async (seed) => {
      const outcome = await runThrough(seed, interruptionsOf(seed, 4, stops));
      expect(essence(outcome)).toEqual(essence(await undisturbed));
      expect(work(outcome)).toEqual(work(await undisturbed));
      // A stop is nobody's fault.
      expect([...outcome.demo.state.tasks.values()].filter(({ attemptsLost }) => attemptsLost > 0)).toEqual([]);
    },
  );

  test.each([
    [31, "full disk"],
    [33, "full disk for all"],
    [41, "provider"],
  ] as const)("H16 S21 by seed %i: %s, and mended, ends as if it had not been", async (seed, fault) => {
    const outcome = await runThrough(seed, interruptionsOf(seed, 3, [fault]));
    expect(outcome.met.length).toBeGreaterThan(0);
    expect(essence(outcome)).toEqual(essence(await undisturbed));
    expect(work(outcome)).toEqual(work(await undisturbed));
    expect(outcome.records.filter(({ type }) => type === "task_failed")).toEqual([]);
  });

  test.each(rounds([22], [21, 22]))(
    "S6 S12 by a loss of power (seed %i): comes to the same tree, and keeps what it names",
    async (seed) => {
      const outcome = await runThrough(seed, interruptionsOf(seed, 3, ["power"]));
      expect(essence(outcome)).toEqual(essence(await undisturbed));
      expect(abandonedWorkspaces(outcome.records).filter((name) => !outcome.workspaces.includes(name))).toEqual([]);
    },
  );
});
