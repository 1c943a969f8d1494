// `skein who`: the agent sessions at work in a repository, of every client whose hooks are installed.

import { noWhoFlags, type WhoFlags } from "../who-flags.ts";
import type { CommandContext } from "./command.ts";

const help = `
Example:
  $ skein who
  $ skein who --json | jq '.sessions[].files'

A session is live or dead by what the system says of its process; "unknown" is one of another host or container.
Sessions are seen once their client's hooks are installed: skein install. docs/sessions.md has the details.`;

export function addWho({ program, io, surroundings }: CommandContext): void {
  program
    .command("who")
    .description("list the agent sessions at work in this repository, with their files and what they are for")
    .option("--repo <directory>", "the repository, instead of the current directory's")
    .option("--all", "also those that have ended, of the last seven days")
    .option("--json", "one line of JSON")
    .addHelpText("after", help)
    .action(async (flags: Partial<WhoFlags>) => {
      const { showWho } = await import("../show-who.ts");
      await showWho(io, surroundings, { ...noWhoFlags, ...flags });
    });
}
