// The terminal for commands that only print: two streams and their colours. Invariant: nothing reaches them but through `cleanOutput`,
// or is bytes that a program asked for, into a pipe or file.

import picocolors from "picocolors";
import { cleanOutput } from "./clean-output.ts";

export type Colors = ReturnType<typeof picocolors.createColors>;

export interface PlainIo {
  /** Results: what a pipe gets. */
  out(text: string): void;
  /** Results to the byte, as `git apply` needs them; null where they would go to a terminal. */
  readonly exact: ((bytes: Uint8Array) => void) | null;
  /** Progress, notices and errors. */
  note(text: string): void;
  readonly colors: Colors;
  /** Set by a command; the process ends with it. */
  exitCode: number;
}

export interface PlainOptions {
  /** Results have colours, whatever they go to. */
  readonly colors: boolean;
}

/** `NO_COLOR`, `FORCE_COLOR` and `TERM=dumb` are honoured, unless it is said. */
export function plainIo(options: PlainOptions | null = null): PlainIo {
  const colors = options?.colors ?? (picocolors.isColorSupported && process.stdout.isTTY === true);
  const noteColors = picocolors.isColorSupported && process.stderr.isTTY === true;
  return {
    out: (text) => void process.stdout.write(`${cleanOutput(text, { colors })}\n`),
    exact: process.stdout.isTTY === true ? null : (bytes) => void process.stdout.write(bytes),
    note: (text) => void process.stderr.write(`${cleanOutput(text, { colors: noteColors })}\n`),
    colors: picocolors.createColors(colors),
    exitCode: 0,
  };
}
