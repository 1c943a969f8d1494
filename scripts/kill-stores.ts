// Kills a loaded store's server: `node scripts/kill-stores.ts [--rounds 200] [--seed 1]`. After each `kill -9` everything that was
// acknowledged must be there, whole and once.

import { parseArgs } from "node:util";
import { killedServer } from "../test/support/store-kill.ts";

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "200" }, seed: { type: "string", default: "1" } },
});
const roundsAStore = 20;
let [rounds, acknowledged, bad] = [0, 0, 0];
for (let seed = Number(values.seed); rounds < Number(values.rounds); seed += 1) {
  const end = await killedServer(seed, Math.min(roundsAStore, Number(values.rounds) - rounds));
  rounds += end.rounds;
  acknowledged += end.acknowledged;
  bad += end.faults.length;
  console.log(
    `seed ${seed}: ${end.rounds} kills, ${end.acknowledged} commits acknowledged, ${end.faults.length} faults`,
  );
  for (const fault of end.faults) console.log(`  ${fault}`);
}
console.log(`${rounds} kills, ${acknowledged} commits acknowledged: ${bad === 0 ? "0 failed" : `${bad} failed`}`);
process.exitCode = bad === 0 ? 0 : 1;
