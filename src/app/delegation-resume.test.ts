// H5 with children: the program is killed at any moment and started again until the run is over. Every call has its result, what had
// finished is not done again, and the files are those of a run that nobody killed. All on one simulated machine, replayed by seed.

import { expect, test } from "vitest";
import { resultsOf } from "../testing/agent/family-rig.ts";
import { killed, left, toEnd } from "../testing/agent/killed-runs.ts";
import { simHost } from "../testing/sim/host.ts";

test("H5 killed at any moment, up to six times over: the same files and records as without, and no answer is asked for twice", async () => {
  const machine = simHost({ seed: 1 });
  const plain = await machine.run(toEnd(machine, []));
  const expected = await left(machine);
  expect({ kind: plain.kind, results: resultsOf(plain).length, expected }).toMatchObject({
    kind: "stopped",
    results: 5,
    expected: {
      askedAgain: [],
      lateTold: 1,
      outcomes: [
        [1, "a1", "done"],
        [2, "a2", "done"],
        [3, "a3", "done"],
        [4, "a4", "done"],
      ],
      copies: [],
    },
  });
  let kills = 0;
  for (let seed = 1; seed <= 12; seed++) {
    const { process, kills: own } = await killed(seed);
    kills += own;
    expect({ seed, ...(await left(process)) }).toEqual({ seed, ...expected });
  }
  expect(kills).toBeGreaterThan(20);
});
