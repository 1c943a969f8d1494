// `skein watch`: the board as a stream of JSON lines, for other tools.

import type { CommandContext } from "./command.ts";

interface Flags {
  readonly all?: boolean;
  readonly repo?: string;
}

const help = `
Example:
  $ skein watch | jq -r 'select(.session.needsPerson) | .session.session'

One line of JSON for each session that is there, then one for each change: event is appeared, state, updated or gone. It goes on until Ctrl-C.
docs/board.md names the fields.`;

export function addWatch({ program, io, surroundings, stop }: CommandContext): void {
  program
    .command("watch")
    .description("the board as a stream of JSON lines")
    .option("--repo <directory>", "only the repository that this directory belongs to")
    .option("--all", "at the beginning also those that have ended")
    .addHelpText("after", help)
    .action(async ({ all = false, repo }: Flags) => {
      const { watchBoard } = await import("../board/show.ts");
      await watchBoard({ io, surroundings, stop }, { all, repo: repo ?? null });
    });
}
