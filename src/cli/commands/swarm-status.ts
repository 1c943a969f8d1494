// `skein swarm status <run>`: how a run goes, or how it ended.

import type { Command } from "commander";
import { explain } from "../errors.ts";
import { statusJson, statusLines } from "../render/runs.ts";
import { type CommandContext, fail } from "./command.ts";

const help = `
Example:
  $ skein swarm status 20261129-230501-ab3d

A beginning or an end of the id is enough where only one run has it. skein runs lists them all.`;

export function addStatus(swarm: Command, { io, surroundings }: CommandContext): void {
  swarm
    .command("status")
    .description("show how a run goes, or how it ended")
    .argument("<run>", "id of the run")
    .option("--json", "one line of JSON")
    .addHelpText("after", help)
    .action(async (run: string, flags: { readonly json?: boolean }) => {
      const { runStatus } = await import("../../app/run-list.ts");
      const json = flags.json === true;
      const status = await runStatus(surroundings, run);
      if (!status.ok) return fail(io, explain(status.error), json);
      if (json) io.out(statusJson(status.value));
      else for (const line of statusLines(status.value, io.colors)) io.out(line);
    });
}
