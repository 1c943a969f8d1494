// `skein eval list`: the suites there are; `skein eval check <suite>`: whether its checks tell right from wrong.

import type { Command } from "commander";
import { explain } from "../errors.ts";
import { jsonLine } from "../json.ts";
import { listedJson, listedLines } from "../render/eval-suites.ts";
import { plural } from "../render/figures.ts";
import { type CommandContext, fail } from "./command.ts";

const listHelp = `
Example:
  $ skein eval list
  $ skein eval list --json

Suites are directories with a suite.yaml below evals/ of the current directory, and those that skein comes with.`;

const checkHelp = `
Example:
  $ skein eval check parallelism

Runs each task's right solution (oracle.yaml), which must pass, and its wrong one (wrong.yaml), which must fail. Both are scripts for the
scripted model: no key is needed. skein eval run does the same before it measures.`;

export function addEvalList(evaluation: Command, { io, surroundings, stop }: CommandContext): void {
  evaluation
    .command("list")
    .description("the suites there are, with their tasks and conditions")
    .option("--json", "one line of JSON: a list")
    .addHelpText("after", listHelp)
    .action(async (flags: { readonly json?: boolean }) => {
      const { listSuites } = await import("../../app/eval-place.ts");
      const suites = await listSuites(surroundings);
      if (flags.json === true) return io.out(jsonLine(suites.map(listedJson)));
      if (suites.length === 0) io.out("no suites: a directory with a suite.yaml below evals/ is one");
      for (const suite of suites) for (const line of listedLines(suite)) io.out(line);
    });
  evaluation
    .command("check")
    .description("whether a suite's checks pass its right solutions and fail its wrong ones")
    .argument("<suite>", "its directory, or its name below evals/")
    .option("--json", "one line of JSON")
    .addHelpText("after", checkHelp)
    .action(async (name: string, flags: { readonly json?: boolean }) => {
      const { checkSuite } = await import("../../app/eval-judge.ts");
      const json = flags.json === true;
      const checked = await checkSuite(surroundings, { suite: name, stop });
      if (!checked.ok) return fail(io, explain(checked.error), json);
      const { suite, problems, solutions } = checked.value;
      if (json) io.out(jsonLine({ suite: suite.name, solutions, problems }));
      else if (problems.length === 0)
        io.out(`${suite.name}: ${plural(solutions, "solution")} run, each judged as it should be`);
      for (const problem of problems) io.note(problem);
      io.exitCode = stop.aborted ? 130 : problems.length > 0 ? 1 : 0;
    });
}
