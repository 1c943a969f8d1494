// `skein memory note "<text>"`: an agent, or a person for one, writes into its session's notes.

import { type Command, Option } from "commander";
import type { SaidKind } from "../../sessions/memory/write-note.ts";
import { explain } from "../errors.ts";
import { jsonLine } from "../json.ts";
import { type CommandContext, fail } from "./command.ts";

interface Flags {
  readonly kind: SaidKind;
  readonly question?: string;
  readonly session?: string;
  readonly subagent?: string;
  readonly json?: boolean;
}

const help = `
Example:
  $ skein memory note "The tests of the renderer need a font"
  $ skein memory note --kind question "May the old form of comments go?"
  $ skein memory note --kind answer --question 1a2b3c4d "Yes, since 2.0"

Run by an agent in its own session: which one that is, is found from the processes above the command. Agents with the MCP
server have the tool \`note\` for it.`;

export function addMemoryNote(memory: Command, { io, surroundings }: CommandContext): void {
  memory
    .command("note")
    .description("write a note into this agent session's own notes")
    .argument("<text>", "what later sessions should know")
    .addOption(
      new Option("--kind <kind>", "what it is")
        .choices(["scratchpad", "decision", "question", "answer"])
        .default("scratchpad"),
    )
    .option("--question <id>", "the question that an answer is to")
    .option("--session <id>", "another session than the one this command runs in: its id or how it begins")
    .option("--subagent <id>", "a subagent of the session")
    .option("--json", "one line of JSON")
    .addHelpText("after", help)
    .action(async (text: string, { kind, question, session, subagent, json = false }: Flags) => {
      const { noteMemory } = await import("../../app/memory.ts");
      const noted = await noteMemory(surroundings, {
        text,
        kind,
        question: question ?? null,
        session: session ?? null,
        subagent: subagent ?? null,
      });
      if (!noted.ok) return fail(io, explain(noted.error), json);
      const { path, question: id } = noted.value;
      io.out(json ? jsonLine(noted.value) : `noted in ${path}${id === null ? "" : `, as question ${id}`}`);
    });
}
