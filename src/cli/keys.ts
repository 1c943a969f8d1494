// Single keys that a person presses, for questions. Invariant: the terminal is in raw mode only while a question stands, and what was
// typed or pasted before it stood answers nothing.

import { openSync } from "node:fs";
import { ReadStream } from "node:tty";

export interface Keys {
  /** One of `wanted`, in small letters; null where the signal aborted first or the terminal is gone. */
  next(wanted: string, signal: AbortSignal): Promise<string | null>;
}

/** After a question is shown keys are not heard for so long: one that is pressed twice answers one question. */
const deafMs = 300;
const interrupt = "\u0003";

/** Null where nobody could see a question or answer it. With another input than a terminal, the terminal itself is listened to. */
export function terminalKeys(): Keys | null {
  if (process.stderr.isTTY !== true) return null;
  const input = process.stdin.isTTY === true ? process.stdin : controllingTerminal();
  return input === null ? null : { next: (wanted, signal) => nextKey(input, wanted, signal) };
}

function controllingTerminal(): ReadStream | null {
  try {
    const terminal = new ReadStream(openSync("/dev/tty", "r"));
    terminal.pause();
    // It is asked only while a question stands: the program does not wait for it to close.
    terminal.unref();
    return terminal;
  } catch {
    return null;
  }
}

function nextKey(input: ReadStream, wanted: string, signal: AbortSignal): Promise<string | null> {
  const { promise, resolve } = Promise.withResolvers<string | null>();
  if (signal.aborted) return Promise.resolve(null);
  let deaf = true;
  const timer = setTimeout(() => {
    deaf = false;
  }, deafMs);
  const onData = (bytes: Buffer | string): void => {
    const text = bytes.toString();
    // In raw mode the terminal does not turn it into a signal.
    if (text.includes(interrupt)) return void process.kill(process.pid, "SIGINT");
    // More than one character at once is a paste, or a key such as an arrow.
    if (!deaf && text.length === 1 && wanted.includes(text.toLowerCase())) resolve(text.toLowerCase());
  };
  const onEnd = (): void => resolve(null);
  input.on("data", onData);
  input.once("end", onEnd);
  input.once("error", onEnd);
  signal.addEventListener("abort", onEnd, { once: true });
  input.setRawMode(true);
  input.ref();
  input.resume();
  return promise.finally(() => {
    clearTimeout(timer);
    signal.removeEventListener("abort", onEnd);
    input.off("data", onData);
    input.off("end", onEnd);
    input.off("error", onEnd);
    input.setRawMode(false);
    input.pause();
    input.unref();
  });
}
