// `skein doctor`: what this machine offers and lacks.

import { cleanLine } from "../../base/text.ts";
import { jsonLine } from "../json.ts";
import type { CommandContext } from "./command.ts";

const help = `
Example:
  $ skein doctor --json`;

export function addDoctor({ program, io, surroundings }: CommandContext): void {
  program
    .command("doctor")
    .description("show what this machine offers skein and what it lacks")
    .option("--json", "one line of JSON")
    .addHelpText("after", help)
    .action(async (flags: { readonly json?: boolean }) => {
      const { examine } = await import("../../app/doctor.ts");
      const findings = await examine(surroundings, process.version);
      if (flags.json === true) io.out(jsonLine({ findings }));
      else {
        const width = Math.max(...findings.map((finding) => finding.name.length));
        const paint = { ok: io.colors.green, missing: io.colors.red, absent: io.colors.yellow };
        for (const { name, state, detail, remedy } of findings) {
          io.out(
            `${paint[state](state.padEnd(8))}${name.padEnd(width + 2)}${cleanLine(detail, 300)}${remedy === null ? "" : ` (${remedy})`}`,
          );
        }
      }
      io.exitCode = findings.some((finding) => finding.state === "missing") ? 1 : 0;
    });
}
