// As store-faults.test.ts, over ten thousand other seeds.

import { expect, test } from "vitest";
import { liveAndDie, nothingSeen } from "../testing/vcs/store-life.ts";

const firstSeed = 1_000;
const seedCount = 10_000;
const timeoutMsMax = 1_800_000;

test(`S7 S21 ${seedCount} stores die and come back`, { timeout: timeoutMsMax }, async () => {
  const wrong: string[] = [];
  for (let seed = firstSeed; seed < firstSeed + seedCount; seed += 1) {
    await liveAndDie(seed, nothingSeen()).catch((error: unknown) => wrong.push(`seed ${seed}: ${String(error)}`));
  }
  expect(wrong).toEqual([]);
});
