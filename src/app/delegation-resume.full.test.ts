// As delegation-resume.test.ts with many more moments at which the program is killed.

import { expect, test } from "vitest";
import { killed, left, toEnd } from "../testing/agent/killed-runs.ts";
import { simHost } from "../testing/sim/host.ts";

test("H5 killed at any moment, in 300 runs: the same files and records as without", async () => {
  const machine = simHost({ seed: 1 });
  await machine.run(toEnd(machine, []));
  const expected = await left(machine);
  for (let seed = 1_001; seed <= 1_300; seed++) {
    const { process } = await killed(seed);
    expect({ seed, ...(await left(process)) }).toEqual({ seed, ...expected });
  }
});
