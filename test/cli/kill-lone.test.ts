// H5, H15: `skein run` with children, killed with `kill -9` and resumed. `scripts/kill-lone-runs.ts` does the same many times.

import { expect, it } from "vitest";
import { effectsCount, killedLoneRun } from "../support/kill-lone.ts";

it("H5 H15 killed and resumed: no answer is asked for again, no call runs twice, no child's work is lost", async () => {
  const killed = await Promise.all([11, 12, 13].map((seed) => killedLoneRun({ seed, killsMax: 1 })));
  // `broken` names each promise that was not kept, with an effect of a call that was not cut off among them.
  for (const { kills, text, exitCode, broken, effects, interrupted } of killed) {
    expect([kills, text, exitCode, broken]).toEqual([1, "The end.", 0, []]);
    expect(new Set([...effects, ...interrupted]).size).toBe(effectsCount);
  }
}, 120_000);
