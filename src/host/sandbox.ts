// Port to what holds the commands of agents: they read the machine, write only where they are told, and reach no network and no secret.

import type { Processes } from "./processes.ts";

export interface SandboxBox {
  /** The agent's tree, absolute and without symlinks: commands start in it. */
  readonly root: string;
  /** False for an agent that may change nothing. */
  readonly writable: boolean;
  /** Files and directories in the tree that may not be written all the same: the person's own `.git`, and those of submodules. */
  readonly guarded: readonly string[];
  /** What a command finds as `/tmp`: a directory of its own, absolute, made where it is missing, that stays from one command to the next. */
  readonly temporary: string;
  /** Directories of a hidden place that are shown all the same, to be read: objects that the tree's git borrows. */
  readonly shown: readonly string[];
}

export interface Sandbox {
  /** For people: what it is. */
  readonly name: string;
  /** For the environment of what is started inside: where temporary files and caches go. */
  readonly environment: Readonly<Record<string, string>>;
  /**
   * Starts programs inside, as the port does outside. A program that a signal ended may end with 128 and its
   * number, and an input that it closed takes what is written until it ends.
   */
  processesIn(box: SandboxBox): Processes;
}
