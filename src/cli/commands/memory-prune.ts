// `skein memory prune`: removes old notes for good, after saying which, and only with a yes.

import { resolve } from "node:path";
import type { Command } from "commander";
import { cleanLine } from "../../base/text.ts";
import type { Prunable } from "../../sessions/memory/prune.ts";
import { timeWord } from "../../sessions/presence/words.ts";
import { explain } from "../errors.ts";
import { jsonLine } from "../json.ts";
import { plural } from "../render/figures.ts";
import { days } from "../run-flags.ts";
import { type CommandContext, fail } from "./command.ts";

interface Flags {
  readonly olderThan: number;
  readonly repo: string;
  readonly all?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

const olderThanDaysDefault = 180;

const help = `
Example:
  $ skein memory prune                        (says what it would remove, and asks)
  $ skein memory prune --older-than 30 --yes

Nothing else ever removes notes. Those of a session that lives, or may, stay. What was written to meanwhile stays, too.`;

export function addMemoryPrune(memory: Command, { io, surroundings }: CommandContext): void {
  memory
    .command("prune")
    .description("remove old notes and tasks for good: says which, and asks")
    .option("--older-than <days>", "only what was last written to before", days, olderThanDaysDefault)
    .option("--repo <directory>", "of another repository than this one", ".")
    .option("--all", "of every repository")
    .option("--yes", "remove without asking")
    .option("--json", "one line of JSON")
    .addHelpText("after", help)
    .action(async ({ olderThan, repo, all = false, yes = false, json = false }: Flags) => {
      const { planPruning, pruneOne } = await import("../../app/memory.ts");
      const say = json ? io.note : io.out;
      const directory = resolve(surroundings.cwd, repo);
      const plan = await planPruning(surroundings, { directory, all, olderThanDays: olderThan });
      if (!plan.ok) return fail(io, explain(plan.error), json);
      const planned = plan.value;
      if (planned.length > 0) say(`to remove for good, last written to before ${olderThan} days ago:`);
      for (const one of planned) say(lineOf(one));
      const agreed = planned.length > 0 && (yes || (await io.ask('type "yes" to remove them: ')) === "yes");
      const removed: string[] = [];
      for (const one of agreed ? planned : []) {
        const gone = await pruneOne(surroundings, one);
        if (!gone.ok) fail(io, explain(gone.error), false);
        else if (gone.value) removed.push(one.path);
        else say(`kept, since it was written to meanwhile: ${one.path}`);
      }
      say(agreed ? `removed ${removed.length} of ${planned.length}` : "nothing was removed");
      if (!agreed && planned.length > 0 && !yes) say("add --yes to remove them");
      if (json)
        io.out(jsonLine({ candidates: planned.map(({ path, notes, bytes }) => ({ path, notes, bytes })), removed }));
    });
}

function lineOf({ what, name, path, notes, bytes, changedMs }: Prunable): string {
  const content = what === "task" ? "the task of a branch" : plural(notes, "note");
  return `  ${cleanLine(name, 100)}: ${content}, ${bytes} bytes, last written ${timeWord(changedMs)}: ${path}`;
}
