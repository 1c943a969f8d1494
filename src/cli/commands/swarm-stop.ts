// `skein swarm stop <run>`: as Ctrl-C in the run's own terminal.

import type { Command } from "commander";
import { explain } from "../errors.ts";
import { jsonLine } from "../json.ts";
import { type CommandContext, fail } from "./command.ts";

interface Flags {
  readonly now?: boolean;
  readonly json?: boolean;
}

const help = `
Example:
  $ skein swarm stop 20261129-230501-ab3d

Agents finish their current call, what landed is exported, and skein swarm --resume <run> goes on with the rest.`;

export function addStop(swarm: Command, { io, surroundings }: CommandContext): void {
  swarm
    .command("stop")
    .description("end a run in order; what landed is exported, and it can be resumed")
    .argument("<run>", "id of the run")
    .option("--now", "do not wait for agents' current calls")
    .option("--json", "one line of JSON")
    .addHelpText("after", help)
    .action(async (run: string, flags: Flags) => {
      const { stopRun } = await import("../../app/run-list.ts");
      const json = flags.json === true;
      const stopped = await stopRun(surroundings, run, flags.now === true ? "now" : "graceful");
      if (!stopped.ok) return fail(io, explain(stopped.error), json);
      const { runId } = stopped.value;
      if (json) io.out(jsonLine({ runId, stopping: true }));
      else io.out(`run ${runId} stops: skein swarm status ${runId} shows how far it is`);
    });
}
