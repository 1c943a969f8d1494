// The terminal as commands see it: what can be asked and redrawn there, how large it is. With `plain-io` the one place that knows the
// process's streams. Invariant: nothing reaches them but through `cleanOutput`.

import type LogUpdate from "log-update";
import picocolors from "picocolors";
import { cleanOutput } from "./clean-output.ts";
import { type Input, processInput } from "./input.ts";
import { type Keys, terminalKeys } from "./keys.ts";
import { type Colors, type PlainIo, plainIo } from "./plain-io.ts";
import { bell, type TerminalNotice, terminalNotice } from "./terminal-notice.ts";

export type { Colors } from "./plain-io.ts";

export interface Io extends PlainIo {
  /** A line that a person types; null where nobody can. */
  ask(question: string): Promise<string | null>;
  /** Results go to a terminal that can be redrawn. */
  readonly live: boolean;
  frames(): Promise<Frames>;
  /** Progress goes to a terminal that can be redrawn, wherever results go. */
  readonly liveNotes: boolean;
  noteFrames(): Promise<Frames>;
  readonly noteColors: Colors;
  readonly input: Input;
  /** Rings, or shows a notice where the terminal knows how; nothing without a terminal. */
  signal(how: "terminal" | "bell", notice: TerminalNotice): void;
  /** Keys of the person who sees the progress; null where there is none. */
  keys(): Keys | null;
  size(): { readonly columns: number; readonly rows: number };
}

/** A part of the screen that is drawn again and again in its place. */
export interface Frames {
  draw(frame: string): void;
  /** Lines above it that stay. */
  say(text: string): void;
  /** Takes it off the screen. */
  clear(): void;
  /** The last one stays. */
  done(): void;
}

export function processIo(): Io {
  const live = process.stdout.isTTY === true && process.env.TERM !== "dumb" && process.env.CI === undefined;
  const colors = picocolors.isColorSupported && process.stdout.isTTY === true;
  const noteColors = picocolors.isColorSupported && process.stderr.isTTY === true;
  const liveNotes = process.stderr.isTTY === true && process.env.TERM !== "dumb" && process.env.CI === undefined;
  return {
    ...plainIo(),
    ask: askPerson,
    live,
    frames: async () => framesOn((await import("log-update")).default, colors),
    liveNotes,
    noteFrames: async () => framesOn((await import("log-update")).logUpdateStderr, noteColors),
    noteColors: picocolors.createColors(noteColors),
    input: processInput(),
    signal: (how, notice) => {
      const sequence = how === "bell" ? bell : terminalNotice(notice, process.env);
      if (sequence !== null && process.stdout.isTTY === true) process.stdout.write(sequence);
    },
    keys: terminalKeys,
    size: () => ({
      columns: process.stdout.columns || process.stderr.columns || 80,
      rows: process.stdout.rows || process.stderr.rows || 24,
    }),
  };
}

function framesOn(update: typeof LogUpdate, colors: boolean): Frames {
  return {
    draw: (frame) => update(cleanOutput(frame, { colors })),
    say: (text) => update.persist(cleanOutput(text, { colors })),
    clear: () => update.clear(),
    done: () => update.done(),
  };
}

async function askPerson(question: string): Promise<string | null> {
  if (process.stdin.isTTY !== true || process.stderr.isTTY !== true) return null;
  const { createInterface } = await import("node:readline/promises");
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  // Ctrl-C and Ctrl-D are a no.
  const closed = new Promise<null>((resolve) => lines.once("close", () => resolve(null)));
  const answer = await Promise.race([lines.question(question).catch(() => null), closed]);
  lines.close();
  return answer === null ? null : answer.trim();
}
