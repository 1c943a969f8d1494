// `skein eval compare <dirA> <dirB>`: two results directories side by side, each condition of one against the same of the other.

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
  $ skein eval compare results/before results/after
  $ skein eval compare results/before results/after --out comparison

Prints Markdown; with --out also writes comparison.md, comparison.json and comparison.html there. Neither directory is changed.`;

export function addEvalCompare(command: Command, { io, surroundings }: CommandContext): void {
  command
    .command("compare")
    .description("two directories of results side by side: what differs, and whether it can be told from noise")
    .argument("<dirA>", "what is compared with")
    .argument("<dirB>", "what is compared")
    .option("--out <dir>", "also write the comparison there, as Markdown, JSON and an HTML page")
    .option("--json", "one line of JSON: the comparison, and the files written")
    .addHelpText("after", help)
    .action(async (a: string, b: string, flags: Flags) => {
      const { evalComparison } = await import("../../app/eval-report.ts");
      const json = flags.json === true;
      const shown = await evalComparison(surroundings, { a, b, out: flags.out });
      if (!shown.ok) return fail(io, explain(shown.error), json);
      const { report, files, markdown } = shown.value;
      io.out(json ? jsonLine({ report, files }) : markdown.trimEnd());
      for (const note of reportNotes(shown.value)) io.note(note);
    });
}
