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

interface Outputs {
  readonly out: Output;
  readonly note: Output;
}

interface Output {
  readonly isTerminal: boolean;
  write(data: string | Uint8Array): void;
}

/** `NO_COLOR`, `FORCE_COLOR` and `TERM=dumb` are honoured, unless it is said. */
export function plainIo(options: PlainOptions | null = null, { out, note }: Outputs = streams()): PlainIo {
  const colors = options?.colors ?? (picocolors.isColorSupported && out.isTerminal);
  const noteColors = picocolors.isColorSupported && note.isTerminal;
  return {
    out: (text) => out.write(`${cleanOutput(text, { colors })}\n`),
    exact: out.isTerminal ? null : (bytes) => out.write(bytes),
    note: (text) => note.write(`${cleanOutput(text, { colors: noteColors })}\n`),
    colors: picocolors.createColors(colors),
    exitCode: 0,
  };
}

function streams(): Outputs {
  return { out: throughStream(process.stdout), note: throughStream(process.stderr) };
}

function throughStream(stream: NodeJS.WriteStream): Output {
  return { isTerminal: stream.isTTY === true, write: (data) => void stream.write(data) };
}
