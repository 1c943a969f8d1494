// A reader's cache gives back the folds that were put into it, of every kind of touch, and only for files as they were.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { syncFiles } from "../../adapters/node/sync-files.ts";
import { emptyFold, type Fold, type Touch } from "./fold.ts";
import { FoldCache } from "./fold-cache.ts";
import { asSessionKey } from "./ids.ts";

const touches: readonly Touch[] = [
  { path: "src/a.ts", worktree: null, how: "tool", from: 5, at: 5 },
  { path: 'src/é " .ts', worktree: null, how: "tool", from: 0, at: 0 },
  { path: "later.ts", worktree: null, how: "tool", from: 5, at: 9 },
  { path: "other.ts", worktree: "/elsewhere", how: "tool", from: 7, at: 7 },
  { path: "made.ts", worktree: null, how: "shell", from: 8, at: 8 },
  { path: "maybe.ts", worktree: null, how: "unattributed", from: 1, at: 9 },
];

test("what is found again is what was put in, also after it was written a second time, and not for a file that changed", async () => {
  const directory = mkdtempSync(join(tmpdir(), "skein-folds-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const stat = { kind: "file", size: 10, executable: false, changedMs: 1.5 } as const;
  const folds: readonly Fold[] = Array.from({ length: 20 }, (_, index) => ({
    ...emptyFold,
    lines: index + 1,
    firstAt: index % 4,
    files: touches.slice(0, index % (touches.length + 1)),
    pastCalls: [
      { from: 3, to: 8 },
      { from: 1_796_062_620_356, to: 1_796_062_621_256 },
    ].slice(0, index % 3),
  }));
  const first = await FoldCache.open(syncFiles, directory);
  for (const [index, fold] of folds.slice(0, 10).entries()) first.put(asSessionKey(`s${index}`), stat, fold);
  await first.save("one");
  // What the second reader only found is written again with what it read anew.
  const second = await FoldCache.open(syncFiles, directory);
  for (const [index, fold] of folds.entries()) {
    const key = asSessionKey(`s${index}`);
    if (index < 10) expect(second.get(key, stat)).toEqual(fold);
    else second.put(key, stat, fold);
  }
  await second.save("two");
  const third = await FoldCache.open(syncFiles, directory);
  expect(folds.map((_, index) => third.get(asSessionKey(`s${index}`), stat))).toEqual(folds);
  expect(third.get(asSessionKey("s3"), { ...stat, size: 11 })).toBe(null);
  expect(third.get(asSessionKey("s3"), { ...stat, changedMs: 2 })).toBe(null);
  // The names of the fields are not repeated for each of the usual touches.
  expect(readFileSync(join(directory, ".folds.json"), "utf8")).not.toContain('"path":"src/a.ts"');
});
