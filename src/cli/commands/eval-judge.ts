// `skein eval judge <dir>`: verdicts made again from disk.

import type { Command } from "commander";
import { explain } from "../errors.ts";
import { jsonLine } from "../json.ts";
import { judgedLines } from "../render/eval-progress.ts";
import { type CommandContext, fail } from "./command.ts";

interface Flags {
  readonly suite?: string;
  readonly json?: boolean;
}

const help = `
Example:
  $ skein eval judge eval-results/parallelism
  $ skein eval judge eval-results/parallelism --suite evals/parallelism      (with checks that have been changed since)

Reads record.json, the workspace and the transcripts of each run, and writes verdict.json. No model is asked, and no record is changed.`;

export function addEvalJudge(evaluation: Command, { io, surroundings, stop }: CommandContext): void {
  evaluation
    .command("judge")
    .description("judge the runs of a directory of results again, from disk")
    .argument("<dir>", "a directory of results, of skein eval run")
    .option("--suite <suite>", "whose checks are used (default: the copy in the results)")
    .option("--json", "one line of JSON")
    .addHelpText("after", help)
    .action(async (directory: string, flags: Flags) => {
      const { judgeAgain } = await import("../../app/eval-judge.ts");
      const json = flags.json === true;
      const judged = await judgeAgain(surroundings, { directory, suite: flags.suite, stop });
      if (!judged.ok) return fail(io, explain(judged.error), json);
      if (json) io.out(jsonLine(judged.value));
      else for (const line of judgedLines(judged.value)) io.out(line);
      io.exitCode = stop.aborted ? 130 : judged.value.damaged.length > 0 ? 1 : 0;
    });
}
