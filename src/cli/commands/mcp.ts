// `skein mcp` in the help. Usually it does not get here: the entry starts its own small program instead (mcp.cjs).

import { explain } from "../errors.ts";
import { type CommandContext, fail } from "./command.ts";

const help = `
Example:
  $ skein install                             (registers it with the agents on this machine)

An MCP server on standard input and output, with the tools who, note, read_memory, set_intent and current_task. It speaks for the agent
session that started it, which its hooks have recorded. docs/memory.md has the details.`;

export function addMcp({ program, io, surroundings }: CommandContext): void {
  program
    .command("mcp")
    .description("the MCP server that agents start: who is here, notes, the branch's task")
    .addHelpText("after", help)
    .action(async () => {
      const { serveMcp } = await import("../../app/mcp.ts");
      const served = await serveMcp(surroundings, {
        input: process.stdin,
        output: process.stdout,
        parentPid: process.ppid,
        program: process.argv[1] ?? "",
        onClientGone: () => process.exit(0),
      });
      if (!served.ok) return fail(io, explain(served.error), false);
    });
}
