// Stages of a response: which calls share one, and that a stage keeps its cap and its order of starting.

import { expect, test } from "vitest";
import { runTogether, stages } from "./schedule.ts";

test("consecutive reads share a stage, all else is alone", () => {
  expect(stages(["read", "read", "write", "read", "exclusive", "exclusive", "read", "read"])).toEqual([
    [0, 1],
    [2],
    [3],
    [4],
    [5],
    [6, 7],
  ]);
  expect(stages([])).toEqual([]);
});

test("no more than the cap run together, and they start in order", async () => {
  const seen: string[] = [];
  let running = 0;
  let most = 0;
  await runTogether([0, 1, 2, 3, 4, 5, 6], 3, async (item) => {
    seen.push(`start ${item}`);
    running++;
    most = Math.max(most, running);
    for (let wait = 0; wait < 7 - item; wait++) await Promise.resolve();
    running--;
  });
  expect({ seen, most, running }).toEqual({
    seen: [0, 1, 2, 3, 4, 5, 6].map((item) => `start ${item}`),
    most: 3,
    running: 0,
  });
});
