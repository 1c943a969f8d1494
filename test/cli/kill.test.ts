// S12: runs that are killed with `kill -9` and resumed end as the undisturbed run does. `scripts/kill-runs.ts` does the same many times.

import { describe, expect, it } from "vitest";
import { killedRun } from "../support/kill.ts";

const pace = 0.25;
/** For a busy machine; alone it takes a minute. */
const timeoutMsMax = 240_000;

describe("a run that is killed and resumed", () => {
  it(
    "S12 ends with the tree, the commits and the bill of an undisturbed one, after three kills",
    async () => {
      const [undisturbed, killed] = await Promise.all([
        killedRun({ seed: 1, killsMax: 0, pace }),
        killedRun({ seed: 104, killsMax: 3, pace }),
      ]);
      const { kills, ...end } = killed;
      const { kills: none, ...expected } = undisturbed;
      expect(none).toEqual([]);
      expect(kills.length).toBeGreaterThan(0);
      expect(end).toEqual({ ...expected, twice: [] });
    },
    timeoutMsMax,
  );
});
