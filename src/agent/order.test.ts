// Any response, run together and one after another on a simulated clock: the same history to the byte and the same files. With an abort
// in the middle: each call has its one result and nothing starts after it. A failing batch is replayed by the seed that is printed.

import { expect, test } from "vitest";
import { checkBatches } from "../testing/agent/batches.ts";

test("batches: history and files as in sequence, no two writers of one file at once, nothing after an abort", async () => {
  const seen = await checkBatches({ batches: 250, seed: 20_261_129 });
  // The batches are worth something only if they did all of this.
  expect(Object.entries(seen).filter(([, count]) => count < 50)).toEqual([]);
});
