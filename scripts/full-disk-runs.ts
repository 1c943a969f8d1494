// Fills the disk under runs and resumes them: `node scripts/full-disk-runs.ts [--runs 20] [--seed 1]`, as root, since each run has a small
// file system of its own (`mount -t tmpfs`). Each stops, says so everywhere, and ends with the tree of an undisturbed one.

import { parseArgs } from "node:util";
import { seededRandom } from "../src/testing/sim/random.ts";
import { fullDiskRun } from "../test/support/full-disk.ts";

const { values } = parseArgs({
  options: { runs: { type: "string", default: "20" }, seed: { type: "string", default: "1" } },
});
const runs = Number(values.runs);
const random = seededRandom(Number(values.seed), "full disk");
/** About as long as a run takes. */
const fillWithinMs = 3_000;
const freeBytesMax = 64 * 1024;

const undisturbed = await fullDiskRun({ fillAfterMs: null, freeBytes: 0 });
console.log(`undisturbed: ${String(undisturbed.end)}, tree ${undisturbed.tree}`);
let bad = 0;
for (let number = 1; number <= runs; number += 1) {
  const fillAfterMs = Math.round(random.unit() * fillWithinMs);
  const freeBytes = random.unit() < 0.5 ? 0 : Math.round(random.unit() * freeBytesMax);
  const run = await fullDiskRun({ fillAfterMs, freeBytes });
  const { state, listed, next, failedTasks, shownDone, showsStack, tree, end } = run;
  const faults = [
    ...(state === "stopped" || state === "finished" ? [] : [`state ${String(state)}`]),
    ...(state === listed ? [] : [`skein runs says ${String(listed)}`]),
    ...(state === "finished" || typeof next === "string" ? [] : ["no next step"]),
    ...(failedTasks === 0 ? [] : [`${failedTasks} failed tasks`]),
    ...(shownDone === 0 ? [] : [`${shownDone} tasks shown as done that are not`]),
    ...(showsStack ? ["a stack trace"] : []),
    ...(end === "finished" ? [] : [`at last ${String(end)}`]),
    ...(tree === undisturbed.tree ? [] : [`tree ${tree}`]),
  ];
  if (faults.length > 0) bad += 1;
  console.log(
    `filled after ${fillAfterMs} ms, ${freeBytes} bytes left: ${String(state)} (${String(run.reason).slice(0, 100)}): ${faults.length === 0 ? "as undisturbed" : faults.join("; ")}`,
  );
}
console.log(`${runs - bad} passed, ${bad} failed`);
process.exitCode = bad === 0 ? 0 : 1;
