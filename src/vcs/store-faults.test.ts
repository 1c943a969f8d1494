// The whole store on a disk that fails on purpose, from fixed seeds: commits, crashes, reopenings, checkpoints, sealing, gc.

import { expect, test } from "vitest";
import { liveAndDie, nothingSeen } from "../testing/vcs/store-life.ts";

const seedCount = 500;
/** For a busy machine; alone it takes a few seconds. */
const timeoutMsMax = 120_000;

test(`S7 S21 ${seedCount} stores die and come back with all that was acknowledged`, {
  timeout: timeoutMsMax,
}, async () => {
  const seen = nothingSeen();
  const wrong: string[] = [];
  for (let seed = 0; seed < seedCount; seed += 1) {
    await liveAndDie(seed, seen).catch((error: unknown) => wrong.push(`seed ${seed}: ${String(error)}`));
  }
  expect(wrong).toEqual([]);
  // The seeds are worth something only if each kind of thing happened.
  expect(Object.entries(seen).filter(([, count]) => count === 0)).toEqual([]);
});
