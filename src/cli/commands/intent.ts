// `skein intent "<what>"`: an agent says in one line what its session is for.

import { explain } from "../errors.ts";
import { jsonLine } from "../json.ts";
import { type CommandContext, fail } from "./command.ts";

const help = `
Example:
  $ skein intent "Move the parser to its own package; I keep out of src/render"

Run by an agent in its own session: which one that is, is found from the processes above the command. Keys and mail
addresses are taken out. Where two clients have sessions with one id: --session codex/<id>. Without an intent the
session's last prompt, shortened, says what it is for.`;

interface Flags {
  readonly session?: string;
  readonly json?: boolean;
}

export function addIntent({ program, io, surroundings }: CommandContext): void {
  program
    .command("intent")
    .description("say in one line what this agent session is for; other sessions see it")
    .argument("<what>", "one line; longer ones are shortened")
    .option(
      "--session <id>",
      "another session than the one this command runs in: its id or how it begins, or client/id",
    )
    .option("--json", "one line of JSON")
    .addHelpText("after", help)
    .action(async (text: string, { session, json = false }: Flags) => {
      const { sayIntent } = await import("../../app/intent.ts");
      const said = await sayIntent(surroundings, { text, session: session ?? null });
      if (!said.ok) return fail(io, explain(said.error), json);
      io.out(json ? jsonLine(said.value) : `${said.value.client} ${said.value.name}: ${said.value.intent}`);
    });
}
