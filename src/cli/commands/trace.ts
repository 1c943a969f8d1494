// `skein trace <run>`: where the time of a run went, on a time line of its agents.

import { resolve } from "node:path";
import { explain } from "../errors.ts";
import { jsonLine } from "../json.ts";
import { type CommandContext, fail } from "./command.ts";

const help = `
Example:
  $ skein trace 20261129-230501-ab3d
  $ skein trace ab3d --html trace.html
  $ skein trace ab3d --json

Of a run that is at work it shows what has been recorded so far. An end of the run's id is enough (skein runs).`;

interface Flags {
  readonly html?: string;
  readonly json?: boolean;
}

export function addTrace({ program, io, surroundings }: CommandContext): void {
  program
    .command("trace")
    .description(
      "show where the time of a run went: a time line of its agents, with waiting, hooks, approval and execution apart",
    )
    .argument("<run>", "id of the run, or an end of it")
    .option("--html <file>", "write it as a page with a Gantt chart, without scripts, that works from the file")
    .option("--json", "one line of JSON")
    .addHelpText("after", help)
    .action(async (run: string, flags: Flags) => {
      const json = flags.json === true;
      const { traceRun, writeTrace } = await import("../../app/trace-run.ts");
      const traced = await traceRun(surroundings, run);
      if (!traced.ok) return fail(io, explain(traced.error), json);
      if (flags.html !== undefined) {
        const path = resolve(surroundings.cwd, flags.html);
        const written = await writeTrace(surroundings, traced.value, path);
        if (!written.ok) return fail(io, explain(written.error), json);
        return io.out(json ? jsonLine({ html: path }) : path);
      }
      if (json) return io.out(jsonLine(traced.value));
      const { traceLines } = await import("../render/trace.ts");
      for (const line of traceLines(traced.value, { columns: io.size().columns, colors: io.colors })) io.out(line);
    });
}
