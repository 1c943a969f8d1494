// Port to child processes. Each child leads its own process group, and kills reach the whole group.

import type { Result } from "../base/result.ts";

export interface SpawnSpec {
  /** Program and arguments; no shell is involved. */
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  /** The whole environment: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /** `inherit` shows the child's stderr to the person; default is to capture. */
  readonly stderr?: "capture" | "inherit";
  /**
   * The child's whole group is killed as soon as this process is gone, `kill -9` included, and with it, where the system tells, what the
   * child started that left the group. Whoever sets it ends the group with `kill` SIGKILL when it is done: a small watcher is part of it.
   */
  readonly diesWithUs?: boolean;
  /** The program writes to `beginDescriptor` when what it was started for begins: `begun` of the child tells. */
  readonly tellsBegin?: boolean;
  /** What it gets when our process ends before it: SIGKILL, unless it has process groups of its own to end first. */
  readonly atExit?: "SIGKILL" | "SIGTERM";
}

/** Where a program that `tellsBegin` has a pipe to us. */
export const beginDescriptor = 4;

export interface SpawnError {
  readonly kind: "spawn";
  readonly code: "not-found" | "denied" | "other";
  readonly program: string;
  readonly message: string;
}

export type ProcessExit =
  | { readonly kind: "code"; readonly code: number }
  | { readonly kind: "signal"; readonly signal: string };

export interface ChildProcess {
  readonly pid: number;
  /** Resolves when the pipe took the bytes (back-pressure); false when the child closed its input. */
  write(bytes: Uint8Array): Promise<boolean>;
  endInput(): void;
  /** Each may be iterated once; ends when the pipe closes. Not iterating stalls a child that fills the pipe. */
  readonly stdout: AsyncIterable<Uint8Array>;
  readonly stderr: AsyncIterable<Uint8Array>;
  /** Of one that `tellsBegin`: true as soon as it has, false where it ended before. Others have none. */
  readonly begun?: Promise<boolean>;
  /** Resolves after the process ended (its pipes may live on in grandchildren). */
  readonly exit: Promise<ProcessExit>;
  /** Signals the whole group; SIGKILL of one that `diesWithUs` also what left it. A group that is gone is not an error. */
  kill(signal: "SIGTERM" | "SIGKILL" | "SIGINT"): void;
}

export interface Processes {
  spawn(spec: SpawnSpec): Promise<Result<ChildProcess, SpawnError>>;
}
