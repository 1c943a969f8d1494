// The comparison with git over whole trees, 2,000 of them: at most one in a hundred that git merges is not merged to the same tree.

import fc from "fast-check";
import { expect, test } from "vitest";
import { compared, treeMeetings } from "../../testing/vcs/tree-meetings.ts";

test("S1 S3 S4 S24 2,000 whole trees come together as git merges them", { timeout: 1_800_000 }, async () => {
  const { wrong, same, placedElsewhere, keptAsConflict, gitIsClean } = await compared(
    fc.sample(treeMeetings, { seed: 77, numRuns: 2_000 }),
  );
  expect({
    wrong,
    all: same + placedElsewhere + keptAsConflict,
    few: placedElsewhere + keptAsConflict <= 0.01 * gitIsClean,
    useful: gitIsClean > 1_000,
  }).toEqual({ wrong: [], all: 2_000, few: true, useful: true });
});
