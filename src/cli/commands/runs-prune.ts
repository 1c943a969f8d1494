// `skein runs prune`: removes old runs, after saying which, and only with a yes.

import type { Command } from "commander";
import { explain } from "../errors.ts";
import { jsonLine } from "../json.ts";
import { plural } from "../render/figures.ts";
import { keptLine, runJson, runLines } from "../render/runs.ts";
import { days } from "../run-flags.ts";
import { type CommandContext, fail } from "./command.ts";

interface Flags {
  readonly olderThan: number;
  readonly run?: readonly string[];
  readonly yes?: boolean;
  readonly json?: boolean;
}

const olderThanDaysDefault = 30;

const help = `
Example:
  $ skein runs prune                          (says what it would remove, and asks)
  $ skein runs prune --older-than 7 --yes
  $ skein runs prune --run 20261129-230501-ab3d

A run that is at work is never removed. One whose commits are on no branch, or that keeps conflicts or workspaces,
is removed only if you name it with --run. Branches that were made stay in their repositories.`;

export function addPrune(runs: Command, { io, surroundings }: CommandContext): void {
  runs
    .command("prune")
    .description("remove runs that are no longer needed: says which, and asks")
    .option("--older-than <days>", "only runs whose last record is older", days, olderThanDaysDefault)
    .option(
      "--run <run>",
      "this run, whatever it keeps (repeatable)",
      (value: string, before: readonly string[] = []) => [...before, value],
    )
    .option("--yes", "remove without asking")
    .option("--json", "one line of JSON")
    .addHelpText("after", help)
    .action(async (flags: Flags) => {
      const { planPrune, pruneRun, finishPruning } = await import("../../app/prune.ts");
      const json = flags.json === true;
      const say = json ? io.note : io.out;
      const plan = await planPrune(surroundings, { named: flags.run ?? [], olderThanDays: flags.olderThan });
      if (!plan.ok) return fail(io, explain(plan.error), json);
      const { remove, keep } = plan.value;
      for (const kept of keep) say(keptLine(kept));
      if (remove.length > 0) say(`${plural(remove.length, "run")} to remove, with logs, transcripts and workspaces:`);
      for (const run of remove) for (const line of runLines(run, io.colors)) say(line);
      const agreed =
        remove.length > 0 && (flags.yes === true || (await io.ask('type "yes" to remove them: ')) === "yes");
      const removed: string[] = [];
      for (const run of agreed ? remove : []) {
        const gone = await pruneRun(surroundings, run);
        if (gone.ok) removed.push(run.runId);
        else fail(io, explain(gone.error), false);
      }
      if (agreed) await finishPruning(surroundings, remove);
      say(agreed ? `removed ${plural(removed.length, "run")}` : "nothing was removed");
      if (!agreed && remove.length > 0 && flags.yes !== true) say("add --yes to remove them");
      if (json)
        io.out(
          jsonLine({
            candidates: remove.map(runJson),
            kept: keep.map(({ run, reason }) => ({ runId: run.runId, reason })),
            removed,
          }),
        );
    });
}
