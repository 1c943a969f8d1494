// `skein eval report <dir>`: what was measured, as text, data and a page, and each run's trajectory for other tools.

import type { Command } from "commander";
import { explain } from "../errors.ts";
import { jsonLine } from "../json.ts";
import { reportNotes } from "../render/eval-report.ts";
import { type CommandContext, fail } from "./command.ts";

interface Flags {
  readonly out?: string;
  readonly json?: boolean;
}

const help = `
Example:
  $ skein eval report results/parallelism
  $ skein eval report results/parallelism --out /tmp/report

Writes report.md, report.json, report.html and trajectories/ (ATIF, a file a run) beside the results, or where --out says, and prints
the Markdown. No model is asked, and no run is changed: see docs/evals.md.`;

export function addEvalReport(command: Command, { io, surroundings }: CommandContext): void {
  command
    .command("report")
    .description("write what was measured as Markdown, JSON and one HTML page, and each run as an ATIF trajectory")
    .argument("<dir>", "a directory of results, of skein eval run")
    .option("--out <dir>", "where the report goes (default: beside the results)")
    .option("--json", "one line of JSON: the report, and the files written")
    .addHelpText("after", help)
    .action(async (directory: string, flags: Flags) => {
      const { evalReport } = await import("../../app/eval-report.ts");
      const json = flags.json === true;
      const shown = await evalReport(surroundings, { directory, out: flags.out });
      if (!shown.ok) return fail(io, explain(shown.error), json);
      const { report, files, trajectories, markdown } = shown.value;
      io.out(json ? jsonLine({ report, files, trajectories }) : markdown.trimEnd());
      for (const note of reportNotes(shown.value)) io.note(note);
      if (shown.value.unwritten !== null) io.exitCode = 1;
    });
}
