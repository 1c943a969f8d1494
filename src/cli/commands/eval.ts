// `skein eval`: measures one condition against another, by repeated runs, and reports from disk.

import type { CommandContext } from "./command.ts";
import { addEvalCompare } from "./eval-compare.ts";
import { addEvalJudge } from "./eval-judge.ts";
import { addEvalList } from "./eval-list.ts";
import { addEvalReport } from "./eval-report.ts";
import { addEvalRun } from "./eval-run.ts";

const help = `
Example:
  $ skein eval list
  $ skein eval run parallelism
  $ skein eval run parallelism --model anthropic/claude-haiku-4-5 --conditions baseline,parallel --out results/haiku
  $ skein eval report eval-results/parallelism
  $ skein eval compare results/before results/after

docs/evals.md says what a suite is, what is measured, and how sure one can be of a difference.`;

export function addEval(context: CommandContext): void {
  const command = context.program
    .command("eval")
    .description("measure one condition against another: repeated runs, judged and reported from disk")
    .addHelpText("after", help)
    .enablePositionalOptions()
    .helpCommand(false);
  addEvalRun(command, context);
  addEvalReport(command, context);
  addEvalJudge(command, context);
  addEvalCompare(command, context);
  addEvalList(command, context);
}
