// `skein memory …`: what sessions noted. The commands that write are files of their own.

import { noMemoryFlags } from "../memory-flags.ts";
import type { CommandContext } from "./command.ts";
import { addMemoryNote } from "./memory-note.ts";
import { addMemoryPrune } from "./memory-prune.ts";

const help = `
Example:
  $ skein memory show
  $ skein memory search "comments parser"
  $ skein memory note --kind decision "Comments are tokens: the formatter needs them"
  $ skein memory prune --older-than 180

Notes are what agent sessions wrote for later ones: decisions, questions, a scratchpad, and one current task for each branch.
docs/memory.md has the details.`;

interface ShowFlags {
  readonly repo: string;
  readonly branch?: string;
  readonly all?: boolean;
  readonly json?: boolean;
}

export function addMemory(context: CommandContext): void {
  const { program, io, surroundings } = context;
  const memory = program
    .command("memory")
    .description("notes of agent sessions: decisions, questions, the branch's task")
    .addHelpText("after", help)
    .helpCommand(false);
  memory
    .command("show")
    .description("the branch's task and notes: open questions first, then newest first")
    .option("--branch <name>", "of another branch than the one that is checked out")
    .option("--repo <directory>", "of another repository than this one", ".")
    .option("--json", "one line of JSON, with all notes of the branch")
    .action(async ({ branch = null, repo, json = false }: Omit<ShowFlags, "branch"> & { branch?: string | null }) => {
      const { runMemory } = await import("../show-memory.ts");
      await runMemory(io, surroundings, { ...noMemoryFlags, command: "show", branch, repo, json });
    });
  memory
    .command("search")
    .description("notes of all sessions that hold every word, newest first")
    .argument("<words...>", "what to look for, whatever its case")
    .option("--branch <name>", "only of this branch")
    .option("--repo <directory>", "of another repository than this one", ".")
    .option("--all", "of every repository")
    .option("--json", "one line of JSON")
    .action(async (words: readonly string[], { branch, repo, all = false, json = false }: ShowFlags) => {
      const { runMemory } = await import("../show-memory.ts");
      await runMemory(io, surroundings, {
        command: "search",
        query: words.join(" "),
        branch: branch ?? null,
        repo,
        all,
        json,
      });
    });
  addMemoryNote(memory, context);
  addMemoryPrune(memory, context);
}
