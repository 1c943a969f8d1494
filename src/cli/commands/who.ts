// `skein who`: the agent sessions at work in a repository, of every client whose hooks are installed.

import { resolve } from "node:path";
import { explain } from "../errors.ts";
import { jsonLine } from "../json.ts";
import { whoJson, whoLines } from "../render/who.ts";
import { type CommandContext, fail } from "./command.ts";

const help = `
Example:
  $ skein who
  $ skein who --json | jq '.sessions[].files'

A session is live or dead by what the system says of its process; "unknown" is one of another host or container.
Sessions are seen once their client's hooks are installed: skein install. docs/sessions.md has the details.`;

interface Flags {
  readonly json?: boolean;
  readonly all?: boolean;
  readonly repo?: string;
}

export function addWho({ program, io, surroundings }: CommandContext): void {
  program
    .command("who")
    .description("list the agent sessions at work in this repository, with their files and what they are for")
    .option("--repo <directory>", "the repository, instead of the current directory's")
    .option("--all", "also those that have ended, of the last seven days")
    .option("--json", "one line of JSON")
    .addHelpText("after", help)
    .action(async ({ json = false, all = false, repo = "." }: Flags) => {
      const { who } = await import("../../app/who.ts");
      const found = await who(surroundings, { directory: resolve(surroundings.cwd, repo), all });
      if (!found.ok) return fail(io, explain(found.error), json);
      if (json) return io.out(jsonLine(whoJson(found.value)));
      io.out(whoLines(found.value, io.colors).join("\n"));
    });
}
