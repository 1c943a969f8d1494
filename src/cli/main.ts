// The command line: reads the arguments, runs one command, answers with the exit code. Commands load what they need when they run.

import { Command, CommanderError } from "commander";
import type { Surroundings } from "../app/surroundings.ts";
import { errorJson } from "./commands/command.ts";
import { addDemo } from "./commands/demo.ts";
import { addDoctor } from "./commands/doctor.ts";
import { addRun } from "./commands/run.ts";
import { addSwarm } from "./commands/swarm.ts";
import type { Io } from "./io.ts";

const hint = "add --help for the flags and an example";

export interface MainOptions {
  readonly args: readonly string[];
  readonly io: Io;
  readonly surroundings: Surroundings;
  readonly interrupted: AbortSignal;
  readonly version: string;
}

export async function main({ args, io, surroundings, interrupted, version }: MainOptions): Promise<number> {
  const program = new Command("skein");
  program
    .description("Many coding agents on one repository, without corrupting, colliding with or waiting for each other.")
    .version(version)
    .configureOutput({ writeOut: (text) => io.out(text.trimEnd()), writeErr: (text) => io.note(text.trimEnd()) })
    .addHelpText(
      "after",
      "\nExample:\n  $ skein demo\n\n`skein <command> --help` shows a command's flags and an example.",
    )
    .exitOverride();
  for (const add of [addSwarm, addRun, addDemo, addDoctor]) add({ program, io, surroundings, interrupted });
  for (const command of [program, ...program.commands]) command.exitOverride().showHelpAfterError(`(${hint})`);
  try {
    await program.parseAsync([...args], { from: "user" });
    return io.exitCode;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Help and version end with 0; anything else commander refuses is bad input.
    if (error.exitCode === 0) return 0;
    const what = error.code === "commander.help" ? "no command was named" : error.message.replace(/^error: /, "");
    if (args.includes("--json")) io.out(errorJson({ what, next: hint, exitCode: 2 }));
    return 2;
  }
}
