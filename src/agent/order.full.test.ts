// As order.test.ts with many more batches, others each time: fast-check prints the seed of one that fails.

import { expect, test } from "vitest";
import { checkBatches } from "../testing/agent/batches.ts";

test("10,000 batches: history and files as in sequence, no two writers of one file at once, nothing after an abort", async () => {
  const seen = await checkBatches({ batches: 10_000 });
  expect(Object.entries(seen).filter(([, count]) => count < 1_000)).toEqual([]);
});
