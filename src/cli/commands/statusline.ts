// `skein statusline <where>` in the help. Usually it does not get here: the entry starts its own small program instead (statusline.cjs).

import { Argument } from "commander";
import { STATUS_PLACES, type StatusPlace } from "../statusline/places.ts";
import type { CommandContext } from "./command.ts";

const help = `
Example:
  $ skein install claude-code --statusline
  set -g status-right '#(skein statusline tmux) %H:%M'      (in ~/.tmux.conf)

One line: how many other sessions wait for you, and where. For Claude Code it reads what that sends on standard input, and leaves its own
session out. docs/board.md has the details.`;

export function addStatusline({ program, io, surroundings }: CommandContext): void {
  program
    .command("statusline")
    .description("one line for Claude Code's or tmux's status: who waits for you")
    .addArgument(new Argument("<where>", "whose status line it is").choices(STATUS_PLACES))
    .addHelpText("after", help)
    .action(async (place: StatusPlace) => {
      const { showStatus } = await import("../statusline/show.ts");
      const { clock } = surroundings.host;
      await showStatus({ io, surroundings, now: clock.now(), unique: `${surroundings.processId}` }, place, null);
    });
}
