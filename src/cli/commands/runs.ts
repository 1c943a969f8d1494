// `skein runs`: the runs, of swarms and of lone agents, that are kept on this machine, newest first.

import { explain } from "../errors.ts";
import { jsonLine } from "../json.ts";
import { runJson, runLines } from "../render/runs.ts";
import { type CommandContext, fail } from "./command.ts";
import { addPrune } from "./runs-prune.ts";

const help = `
Example:
  $ skein runs
  $ skein runs --json
  $ skein runs prune --older-than 30`;

export function addRuns(context: CommandContext): void {
  const { program, io, surroundings } = context;
  const command = program
    .command("runs")
    .description("list the runs on this machine, newest first, with what is left of them")
    .option("--json", "one line of JSON: a list")
    .addHelpText("after", help)
    .enablePositionalOptions()
    .helpCommand(false)
    .action(async (flags: { readonly json?: boolean }) => {
      const { listRuns } = await import("../../app/run-list.ts");
      const json = flags.json === true;
      const runs = await listRuns(surroundings);
      if (!runs.ok) return fail(io, explain(runs.error), json);
      if (json) return io.out(jsonLine(runs.value.map(runJson)));
      if (runs.value.length === 0) io.out("no runs yet: skein swarm --help");
      for (const run of runs.value) for (const line of runLines(run, io.colors)) io.out(line);
    });
  addPrune(command, context);
}
