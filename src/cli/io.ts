// The terminal as commands see it: where output goes, how large it is, whether it has colours. The one place that knows the process's streams.

import picocolors from "picocolors";

export type Colors = ReturnType<typeof picocolors.createColors>;

export interface Io {
  /** Results: what a pipe gets. */
  out(text: string): void;
  /** Progress, notices and errors. */
  note(text: string): void;
  /** Results go to a terminal that can be redrawn. */
  readonly live: boolean;
  readonly colors: Colors;
  size(): { readonly columns: number; readonly rows: number };
  /** Set by a command; the process ends with it. */
  exitCode: number;
}

/** `NO_COLOR`, `FORCE_COLOR` and `TERM=dumb` are honoured. */
export function processIo(): Io {
  const live = process.stdout.isTTY === true && process.env.TERM !== "dumb" && process.env.CI === undefined;
  return {
    out: (text) => void process.stdout.write(`${text}\n`),
    note: (text) => void process.stderr.write(`${text}\n`),
    live,
    colors: picocolors.createColors(picocolors.isColorSupported && process.stdout.isTTY === true),
    size: () => ({ columns: process.stdout.columns || 80, rows: process.stdout.rows || 24 }),
    exitCode: 0,
  };
}
