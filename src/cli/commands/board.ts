// `skein board`: all agent sessions of this machine, by project, with a mark at those that wait for their person.

import { InvalidArgumentError } from "commander";
import { NOTICE_WAYS, type NoticeWay } from "../../app/board/notify.ts";
import type { CommandContext } from "./command.ts";

interface Flags {
  readonly once?: boolean;
  readonly json?: boolean;
  readonly today?: boolean;
  readonly all?: boolean;
  readonly repo?: string;
  readonly notify?: true | readonly NoticeWay[];
}

const help = `
Example:
  $ skein board
  $ skein board --notify                      (and tells you when a session in the background begins to wait)
  $ skein board --notify desktop,bell
  $ skein board --once
  $ skein board --json | jq '.projects[].sessions[] | select(.needsPerson) | .session'
  $ skein board --today

▶ waits for you, ● works, ✗ died in mid-turn, ? nobody knows whether it lives. ? shows the keys. Without a terminal it prints once.
--notify alone uses tmux, the desktop (notify-send), the terminal's own sequence where it has one, and the bell. It tells each end of a turn
and each question once, never for a pane in front of you. docs/board.md has the details.`;

export function addBoard({ program, io, surroundings, stop }: CommandContext): void {
  program
    .command("board")
    .description("which agent session waits for you: all of them, by project, live")
    .option("--repo <directory>", "only the repository that this directory belongs to")
    .option("--all", "also those that have ended")
    .option("--once", "print it once and end")
    .option("--today", "how long each session worked and waited today")
    .option("--notify [ways]", `tell when a session begins to wait: ${NOTICE_WAYS.join(", ")}`, noticeWays)
    .option("--json", "one line of JSON")
    .addHelpText("after", help)
    .action(async ({ once = false, json = false, today = false, all = false, repo, notify }: Flags) => {
      const { showBoard } = await import("../board/show.ts");
      const ways = notify === undefined ? null : notify === true ? NOTICE_WAYS : notify;
      await showBoard({ io, surroundings, stop }, { once, json, today, all, repo: repo ?? null, notify: ways });
    });
}

function noticeWays(text: string): readonly NoticeWay[] {
  return text.split(",").map((name) => {
    const way = NOTICE_WAYS.find((one) => one === name.trim());
    if (way === undefined) throw new InvalidArgumentError(`Choose among ${NOTICE_WAYS.join(", ")}.`);
    return way;
  });
}
