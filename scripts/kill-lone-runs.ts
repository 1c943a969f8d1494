// Kills runs of `skein run` with children and resumes them: `node scripts/kill-lone-runs.ts [--runs 30] [--kills 3] [--seed 1]`. Each is
// killed with `kill -9` at seeded moments; what must hold at the end is compared with an undisturbed run.

import { parseArgs } from "node:util";
import { killedLoneRun } from "../test/support/kill-lone.ts";

const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "30" },
    kills: { type: "string", default: "3" },
    seed: { type: "string", default: "1" },
  },
});
const [runs, killsMax, seed] = [Number(values.runs), Number(values.kills), Number(values.seed)];

const undisturbed = await killedLoneRun({ seed, killsMax: 0 });
console.log(`undisturbed: ${JSON.stringify(undisturbed)}`);
let bad = 0;
let kills = 0;
for (let number = 0; number < runs; number += 1) {
  const run = await killedLoneRun({ seed: seed + number, killsMax });
  kills += run.kills;
  const faults = [
    ...(run.text === undisturbed.text ? [] : [`text ${String(run.text)}`]),
    ...(run.exitCode === 0 ? [] : [`exit code ${run.exitCode}`]),
    ...run.broken,
  ];
  if (faults.length > 0) bad += 1;
  const after = `${run.kills} kills (after ${run.killedAfter.join(", ")} requests)`;
  const told = run.interrupted.length === 0 ? "" : `, told as interrupted: ${run.interrupted.join(", ")}`;
  console.log(`seed ${seed + number}: ${after}: ${faults.length === 0 ? `as undisturbed${told}` : faults.join("; ")}`);
}
console.log(`${runs - bad} passed, ${bad} failed, ${kills} kills`);
process.exitCode = bad === 0 ? 0 : 1;
