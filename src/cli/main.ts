// The command line: reads the arguments, runs one command, answers with the exit code. Commands load what they need when they run.

import { Command, CommanderError } from "commander";
import type { Surroundings } from "../app/surroundings.ts";
import type { CommandContext } from "./commands/command.ts";
import { errorJson, fail, internalError } from "./fail.ts";
import type { Io } from "./io.ts";
import { wantsJson } from "./lost-output.ts";

const hint = "add --help for the flags and an example";

const help = `
Example:
  $ skein demo
  $ skein swarm "Add a --json flag to every command" --model anthropic/claude-haiku-4-5 --budget 5 --check "npm test"
  $ skein swarm --resume 20261129-2305
  $ skein runs
  $ skein install
  $ skein who
  $ skein board

\`skein <command> --help\` shows a command's flags and examples.`;

/** A command by its name, loaded when it is asked for. */
export interface NamedCommand {
  readonly name: string;
  readonly load: () => Promise<(context: CommandContext) => void>;
}

export interface MainOptions {
  /** In the order of the help. */
  readonly commands: readonly NamedCommand[];
  readonly args: readonly string[];
  readonly io: Io;
  readonly surroundings: Surroundings;
  /** The directory it was started in is not there any more. */
  readonly directoryGone: boolean;
  readonly stop: AbortSignal;
  readonly stopNow: AbortSignal;
  readonly version: string;
}

export async function main(options: MainOptions): Promise<number> {
  const { commands, args, io, surroundings, directoryGone, stop, stopNow, version } = options;
  const json = wantsJson(args);
  const program = new Command("skein");
  program
    .description("Many coding agents on one repository, without corrupting, colliding with or waiting for each other.")
    .version(version)
    .configureOutput({ writeOut: (text) => io.out(text.trimEnd()), writeErr: (text) => io.note(text.trimEnd()) })
    .addHelpText("after", help)
    // A flag belongs to the command that it follows: `swarm status <run> --json`.
    .enablePositionalOptions();
  const context = { program, io, surroundings, stop, stopNow, literal: args.includes("--") };
  // One that is named first is all that is needed; the help, and advice on a name that there is not, tell of all.
  const named = commands.filter(({ name }) => name === args[0]);
  const adding = await Promise.all((named.length === 0 ? commands : named).map(({ load }) => load()));
  for (const add of adding) add(context);
  // Help and version need no directory, every action does.
  program.hook("preAction", () => {
    if (directoryGone) throw new DirectoryGone();
  });
  for (const command of withSubcommands(program)) command.exitOverride().showHelpAfterError(`(${hint})`);
  try {
    await program.parseAsync([...args], { from: "user" });
    return io.exitCode;
  } catch (error) {
    if (error instanceof DirectoryGone) {
      fail(io, gone, json);
      return gone.exitCode;
    }
    if (!(error instanceof CommanderError)) return internalError(io, error, json);
    // Help and version end with 0; anything else commander refuses is bad input.
    if (error.exitCode === 0) return 0;
    const what = error.code === "commander.help" ? "no command was named" : error.message.replace(/^error: /, "");
    if (json) io.out(errorJson({ what, next: hint, exitCode: 2 }));
    return 2;
  }
}

class DirectoryGone extends Error {}

const gone = {
  what: "the current directory is not there any more: it was removed or moved after you went into it",
  next: "nothing was begun; go to a directory that is there (cd), and try again",
  exitCode: 2,
} as const;

function withSubcommands(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap(withSubcommands)];
}
