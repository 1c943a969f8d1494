// What every command is given: the program to add itself to, the terminal, and what is around.

import { type Command, InvalidArgumentError } from "commander";
import type { Surroundings } from "../../app/surroundings.ts";
import type { Io } from "../io.ts";

export { fail } from "../fail.ts";

export interface CommandContext {
  readonly program: Command;
  readonly io: Io;
  readonly surroundings: Surroundings;
  /** Aborts at the first Ctrl-C: end in order. */
  readonly stop: AbortSignal;
  /** Aborts at the second: end at once. */
  readonly stopNow: AbortSignal;
  /** `--` was among the arguments: what follows it is never a command's name. */
  readonly literal: boolean;
}

/** A flag's whole number. Whether it lies within the command's limits is the command's to say. */
export function wholeNumber(text: string): number {
  if (!/^-?\d{1,9}$/.test(text.trim())) throw new InvalidArgumentError("A whole number is needed.");
  return Number(text);
}
