// S7, S12: a server that is killed with `kill -9` under load loses nothing that it acknowledged and keeps nothing by half.
// `scripts/kill-stores.ts` does the same many times.

import { expect, it } from "vitest";
import { rounds } from "../../src/testing/rounds.ts";
import { killedServer } from "../support/store-kill.ts";

const kills = rounds(4, 10);

it(`S7 S12 ${kills} kills of a loaded server: every acknowledged commit is there, whole and once, and positions have no gap`, async () => {
  const { acknowledged, ...end } = await killedServer(1, kills);
  expect([end, acknowledged > kills]).toEqual([{ rounds: kills, faults: [] }, true]);
}, 120_000);
