// Kills runs and resumes them: `node scripts/kill-runs.ts [--runs 50] [--kills 3] [--pace 0.5] [--seed 1]`. Each run is the demo's
// project through the bundle, killed with `kill -9` at seeded moments; the end is compared with an undisturbed run.

import { parseArgs } from "node:util";
import { killedRun } from "../test/support/kill.ts";

const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "50" },
    kills: { type: "string", default: "3" },
    pace: { type: "string", default: "0.5" },
    seed: { type: "string", default: "1" },
  },
});
const [runs, killsMax, pace, seed] = [
  Number(values.runs),
  Number(values.kills),
  Number(values.pace),
  Number(values.seed),
];

const undisturbed = await killedRun({ seed, killsMax: 0, pace });
console.log(
  `undisturbed: tree ${undisturbed.tree}, ${undisturbed.landed.length} commits, ${undisturbed.billed.length} requests`,
);
let bad = 0;
for (let number = 0; number < runs; number += 1) {
  const run = await killedRun({ seed: seed + number, killsMax, pace });
  const faults = [
    ...(run.tree === undisturbed.tree ? [] : [`tree ${run.tree}`]),
    ...(run.state === "finished" ? [] : [`state ${String(run.state)}`]),
    ...(run.landed.join("\n") === undisturbed.landed.join("\n")
      ? []
      : [`landed ${run.landed.length}: ${run.landed.join(" | ")}`]),
    ...(run.billed.join("\n") === undisturbed.billed.join("\n")
      ? []
      : [`billed ${run.billed.length}, undisturbed ${undisturbed.billed.length}`]),
    ...(run.twice.length === 0 ? [] : [`answered twice: ${run.twice.join(", ")}`]),
  ];
  if (faults.length > 0) {
    bad += 1;
    faults.push(...run.failures);
  }
  console.log(
    `seed ${seed + number}: ${run.kills.length} kills (${run.kills.join(", ")}): ${faults.length === 0 ? "as undisturbed" : faults.join("; ")}`,
  );
}
console.log(`${runs - bad} passed, ${bad} failed`);
process.exitCode = bad === 0 ? 0 : 1;
