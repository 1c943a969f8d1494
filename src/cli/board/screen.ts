// The live board on a terminal: the whole of its other screen, of which only the lines are written that are not what they were, and the keys.
// Invariant: nothing reaches the terminal but through `cleanOutput`, and whatever ends the program, the terminal is as it was before.

import { emitKeypressEvents } from "node:readline";
import { cleanOutput } from "../clean-output.ts";
import type { Key } from "./ui.ts";

export interface ScreenOptions {
  readonly colors: boolean;
  readonly onKey: (key: Key) => void;
  /** Ctrl-C. */
  readonly onInterrupt: () => void;
  /** The terminal has another size, and nothing of what was drawn counts. */
  readonly onResize: () => void;
}

export interface Screen {
  /** From the top; each at most as wide as the terminal. */
  draw(lines: readonly string[]): void;
  /** What is drawn afterwards, by work that was still under way, shows nowhere. */
  close(): void;
}

/** As `node:readline` names keys. */
interface Keypress {
  readonly name?: string;
  readonly ctrl?: boolean;
  readonly meta?: boolean;
}

const ESC = "\u001b";
// The other screen and its end (xterm's 1049), the cursor hidden and shown, a change drawn as one (mode 2026, which others pass over).
const [enter, leave] = [`${ESC}[?1049h${ESC}[?25l${ESC}[2J`, `${ESC}[?25h${ESC}[?1049l`];
const [begin, end] = [`${ESC}[?2026h`, `${ESC}[?2026l`];

/** A signal that stops this process does so sooner. */
const passedOverMs = 200;

export function openScreen({ colors, onKey, onInterrupt, onResize }: ScreenOptions): Screen {
  const { stdin, stdout } = process;
  let shown: readonly string[] = [];
  let isClosed = false;
  const pressed = (text: string | undefined, key: Keypress | undefined): void => {
    if (key?.ctrl === true && key.name === "c") return onInterrupt();
    if (key?.ctrl === true && key.name === "z") return suspend();
    const read = keyOf(text ?? "", key ?? {});
    if (read !== null) onKey(read);
  };
  const resized = (): void => {
    shown = [];
    stdout.write(`${ESC}[2J`);
    onResize();
  };
  const restore = (): void => void stdout.write(leave);
  const setRaw = (raw: boolean): void => void (stdin.isTTY && stdin.setRawMode(raw));
  let isAway = false;
  // The whole job, as the terminal itself would stop it: in raw mode the key is only a key. Where nobody could make the job go on, the
  // system passes over the signal, and the board is drawn again at once.
  const suspend = (): void => {
    isAway = true;
    setRaw(false);
    restore();
    process.kill(0, "SIGTSTP");
    setTimeout(resumed, passedOverMs).unref();
  };
  const resumed = (): void => {
    if (!isAway || isClosed) return;
    isAway = false;
    setRaw(true);
    stdout.write(enter);
    shown = [];
    onResize();
  };
  emitKeypressEvents(stdin);
  setRaw(true);
  stdin.on("keypress", pressed);
  stdin.resume();
  stdout.on("resize", resized);
  process.on("exit", restore);
  process.on("SIGCONT", resumed);
  stdout.write(enter);
  return {
    draw: (lines) => {
      if (isClosed || isAway) return;
      const clean = lines.map((line) => cleanOutput(line, { colors }));
      const changed = clean.flatMap((line, index) => (line === shown[index] ? [] : [lineAt(index, line)]));
      const gone = clean.length < shown.length ? [`${ESC}[${clean.length + 1};1H${ESC}[J`] : [];
      shown = clean;
      if (changed.length + gone.length > 0) stdout.write(`${begin}${changed.join("")}${gone.join("")}${end}`);
    },
    close: () => {
      isClosed = true;
      stdin.off("keypress", pressed);
      stdout.off("resize", resized);
      process.off("exit", restore);
      process.off("SIGCONT", resumed);
      setRaw(false);
      // It would keep the process alive.
      stdin.pause();
      restore();
    },
  };
}

/** What was there is erased after it, so that a line is never gone for a moment. */
function lineAt(index: number, line: string): string {
  return `${ESC}[${index + 1};1H${line}${ESC}[0m${ESC}[K`;
}

function keyOf(text: string, { name, ctrl, meta }: Keypress): Key | null {
  switch (name) {
    case "up":
      return { kind: "up" };
    case "down":
      return { kind: "down" };
    case "pageup":
      return { kind: "page-up" };
    case "pagedown":
      return { kind: "page-down" };
    case "return":
    case "enter":
      return { kind: "enter" };
    case "escape":
      return { kind: "escape" };
    case "backspace":
      return { kind: "backspace" };
    case "tab":
      return { kind: "tab" };
    default:
      return ctrl === true || meta === true || text === "" || text < " " ? null : { kind: "text", text };
  }
}
