// `npm run bench:vcs [-- --quick] [--json] [--dir <directory>]`: how fast the store is on this machine and this disk, beside git and
// SQLite, all from one run. Says under which conditions, and which targets were missed.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { fdatasyncRate, load, machineLine } from "./vcs/machine.ts";
import { alternatives, historyLengths, mainFigures, type Plan, repositorySizes } from "./vcs/measures.ts";
import { jsonOf, type Report, tableOf } from "./vcs/report.ts";

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    dir: { type: "string", default: tmpdir() },
  },
});
const { quick, json } = values;

const loadBefore = load();
const directory = mkdtempSync(join(values.dir, "skein-bench-"));
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));
process.once("exit", () => rmSync(directory, { recursive: true, force: true }));

const size = quick
  ? {
      seconds: 2,
      // A server that has seen fewer than some 20,000 commits is still being compiled, which its time for a commit would show.
      warmSeconds: 4,
      repetitions: 1,
      filesMany: 20_000,
      historyShort: 5_000,
      historyLong: 30_000,
      historyOpened: 60_000,
    }
  : {
      seconds: 5,
      warmSeconds: 6,
      repetitions: 5,
      filesMany: 100_000,
      historyShort: 10_000,
      historyLong: 500_000,
      historyOpened: 1_000_000,
    };
const plan: Plan = { directory, ...size, onNote: (note) => console.error(`… ${note}`) };

const sync = fdatasyncRate(directory, quick ? 2 : 5);
const main = await mainFigures(plan);
const rows = [
  ...main.rows,
  await repositorySizes(plan),
  ...(await historyLengths(plan)),
  ...(await alternatives(plan)),
];
const report: Report = {
  machine: machineLine(),
  quick,
  loadBefore,
  fdatasync: { perSecond: sync.median, spread: sync.spread ?? 0 },
  isQuiet: loadBefore < 0.3 && (sync.spread ?? 0) < 0.3,
  rows,
  profile: main.profile,
};
console.log(json ? jsonOf(report) : tableOf(report));
