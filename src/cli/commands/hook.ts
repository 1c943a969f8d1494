// `skein hook <client>` in the help. The command itself never gets here: the entry starts the hook without loading this program.

import { HOOKED_CLIENTS } from "../../clients/launcher-command.ts";
import type { CommandContext } from "./command.ts";

const help = `
Reads one event as JSON from standard input, records it, and prints what the client passes on to its agent, or nothing.
It always ends with code 0; faults go to hook-faults.jsonl in the state directory, and skein doctor shows them.
SKEIN_HOOKS_OFF=1 makes it do nothing.`;

export function addHook({ program }: CommandContext): void {
  program
    .command("hook")
    .description("what an agent's hooks run; skein install sets it up")
    .argument("<client>", `one of ${HOOKED_CLIENTS.join(", ")}`)
    .addHelpText("after", help)
    .action(() => {});
}
