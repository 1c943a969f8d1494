// Whether this Node has the parts that `quick-program-output.ts` stands on, in the form that it knows. They are Node's own affair and have changed within
// one major version, and a wrong call ends the process, which nothing can catch. So each Node is tried once, in a process of its own.
// Invariant: a Node counts as proven only after such a process has had right answers from it.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { systemError } from "./errors.ts";
import { quickProgramOutput } from "./quick-program-output.ts";

const PROVEN = "proven";
const TRIED = "tried";

/** The file below the state directory that says so of this Node. */
export const proofName = `node/${process.version}-${process.platform}-${process.arch}`;

export function isProven(file: string): boolean {
  return textOf(file) === PROVEN;
}

/** Begins the proof where none was begun; `command` is run to the end of it, beside us. False where there is nothing to do. */
export function beginProof(file: string, command: readonly [string, ...string[]]): boolean {
  if (process.platform === "win32" || textOf(file) !== null || !write(file, TRIED)) return false;
  // Loaded only here.
  const { spawn } = process.getBuiltinModule("node:child_process");
  const [program, ...args] = command;
  const child = spawn(program, args, { detached: true, stdio: "ignore", cwd: "/" });
  // It is not proven then.
  child.on("error", () => undefined);
  child.unref();
  return true;
}

/** In the process that is only for it. */
export async function prove(file: string): Promise<void> {
  const shell = (script: string, more: object) => ({
    argv: ["/bin/sh", "-c", script] as const,
    cwd: "/",
    env: { WORD: "só" },
    msMax: 5_000,
    bytesMax: 1_000,
    ...more,
  });
  const missing = { argv: ["skein-no-such-program"] as const };
  const [printed, failed, none, endless, slow] = await Promise.all([
    quickProgramOutput(shell('printf "%s|%s" "$WORD" "$PWD"; cat', {})),
    quickProgramOutput(shell("echo half; exit 3", {})),
    quickProgramOutput({ ...shell("", {}), ...missing }),
    quickProgramOutput(shell("while :; do echo 0123456789; done", {})),
    quickProgramOutput(shell("exec sleep 60", { msMax: 20 })),
  ]);
  const isRight = printed !== null && Buffer.from(printed).toString("utf8") === "só|/";
  if (isRight && [failed, none, endless, slow].every((answer) => answer === null)) write(file, PROVEN);
}

function textOf(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    systemError(cause);
    return null;
  }
}

function write(file: string, text: string): boolean {
  try {
    // The state directory is there when a session has started in it.
    if (!existsSync(dirname(file))) mkdirSync(dirname(file), { mode: 0o700 });
    writeFileSync(file, text, { mode: 0o600 });
    return true;
  } catch (cause) {
    systemError(cause);
    return false;
  }
}
