// Timers of the real clock.

import { expect, test } from "vitest";
import { nodeClock } from "./clock.ts";

test("a wait for a moment that has passed is over at once, and no warning is printed", async () => {
  const warnings: string[] = [];
  const onWarning = ({ name }: Error): void => void warnings.push(name);
  process.on("warning", onWarning);
  try {
    await nodeClock.sleep(-0.25);
    await nodeClock.sleep(0);
    // Node tells warnings in a later turn.
    await new Promise((resolve) => setImmediate(resolve));
    expect(warnings).toEqual([]);
  } finally {
    process.off("warning", onWarning);
  }
});
