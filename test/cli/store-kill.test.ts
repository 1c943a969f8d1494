// S7, S12: a server that is killed with `kill -9` under load loses nothing that it acknowledged and keeps nothing by half.
// `scripts/kill-stores.ts` does the same many times.

import { expect, it } from "vitest";
import { killedServer } from "../support/store-kill.ts";

it("S7 S12 ten kills of a loaded server: every acknowledged commit is there, whole and once, and positions have no gap", async () => {
  const { acknowledged, ...end } = await killedServer(1, 10);
  expect([end, acknowledged > 10]).toEqual([{ rounds: 10, faults: [] }, true]);
}, 120_000);
