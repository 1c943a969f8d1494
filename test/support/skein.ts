// Runs the program itself, the bundle that users get, and says how it ended.

import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Sandbox } from "./sandbox.ts";

export const packageRoot = join(import.meta.dirname, "..", "..");
export const bundle = join(packageRoot, "dist", "skein.cjs");

export interface Ended {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Started {
  readonly pid: number;
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** What it has said so far. */
  stderr(): string;
  kill(signal: NodeJS.Signals): void;
}

export interface SkeinOptions {
  readonly args: readonly string[];
  readonly cwd?: string;
  /** Another installation's `skein.cjs`. */
  readonly program?: string;
  /** Added to the sandbox's variables. */
  readonly env?: Readonly<Record<string, string>>;
  /** What is on standard input: a text in a pipe, or a file, by its descriptor; nothing if left out. */
  readonly input?: string | number;
}

export function startSkein(
  sandbox: Sandbox,
  { args, cwd = sandbox.root, program = bundle, env = {}, input }: SkeinOptions,
): Started {
  if (!existsSync(program)) throw new Error(`${program} is missing: npm run build makes it`);
  const child = spawn(process.execPath, [program, ...args], {
    cwd,
    env: { ...sandbox.env, ...env },
    stdio: [input === undefined ? "ignore" : typeof input === "string" ? "pipe" : input, "pipe", "pipe"],
  });
  // One that has ended before it read all of it is none of the test's business.
  child.stdin?.on("error", () => {}).end(input);
  const texts = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name]?.setEncoding("utf8").on("data", (text: string) => {
      texts[name] += text;
    });
  }
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (exitCode, signal) => resolve({ exitCode, signal, ...texts }));
  });
  return { pid: child.pid ?? -1, child, ended, stderr: () => texts.stderr, kill: (signal) => void child.kill(signal) };
}

export function skein(sandbox: Sandbox, options: SkeinOptions): Promise<Ended> {
  return startSkein(sandbox, options).ended;
}

/** What `--json` promises: the last line of stdout. */
export function lastJson({ stdout, stderr }: Ended): Record<string, unknown> {
  const line = stdout.trimEnd().split("\n").at(-1) ?? "";
  try {
    return JSON.parse(line);
  } catch {
    throw new Error(`no JSON at the end of stdout: ${JSON.stringify(line)}\n${stderr}`);
  }
}

/** Asks until `seen` answers with something; fails with `what` after a generous time. */
export async function eventually<T>(
  what: string,
  seen: () => T | null | Promise<T | null>,
  attemptsMax = usualAttemptsMax,
): Promise<T> {
  for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
    const answer = await seen();
    if (answer !== null) return answer;
    await delay(attemptMs);
  }
  throw new Error(`did not happen: ${what}`);
}

const attemptMs = 50;
const usualAttemptsMax = 1_200;
