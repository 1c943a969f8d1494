// Whole trees merged here and by git: edits, renames of files and directories, additions, deletions, modes, links.

import fc from "fast-check";
import { expect, test } from "vitest";
import { compared, treeMeetings } from "../../testing/vcs/tree-meetings.ts";

test("S1 S3 S4 S24 whole trees come together as git merges them, and never where git does not", {
  timeout: 120_000,
}, async () => {
  const { wrong, placedElsewhere, keptAsConflict, gitIsClean } = await compared(
    fc.sample(treeMeetings, { seed: 20_261_130, numRuns: 150 }),
  );
  expect({
    wrong,
    few: placedElsewhere + keptAsConflict <= 0.02 * gitIsClean,
    useful: gitIsClean > 50 && gitIsClean < 130,
  }).toEqual({ wrong: [], few: true, useful: true });
});
