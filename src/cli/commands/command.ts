// What every command is given: the program to add itself to, the terminal, and what is around.

import type { Command } from "commander";
import type { Surroundings } from "../../app/surroundings.ts";
import type { Explanation } from "../errors.ts";
import type { Io } from "../io.ts";

export interface CommandContext {
  readonly program: Command;
  readonly io: Io;
  readonly surroundings: Surroundings;
  /** Aborts at the first Ctrl-C. */
  readonly interrupted: AbortSignal;
}

/** Prints an error and sets the exit code. With `--json` programs get it as their one line too. */
export function fail(io: Io, { what, next, exitCode }: Explanation, json: boolean): void {
  io.note(`skein: ${what}\n  ${next}`);
  if (json) io.out(JSON.stringify({ error: what, next, exitCode }));
  io.exitCode = exitCode;
}

/** A whole number as commander gives it; what is none stays NaN and is refused by the command with its limits. */
export function wholeNumber(text: string): number {
  return /^-?\d{1,9}$/.test(text.trim()) ? Number(text) : Number.NaN;
}
