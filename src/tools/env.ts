// What the tools of one agent are given: ports, the root of its tree, and where long outputs go.

import type { WriteScope } from "../agent/write-scope.ts";
import type { Clock } from "../host/clock.ts";
import type { Files } from "../host/files.ts";
import type { Processes } from "../host/processes.ts";

export interface ToolEnv {
  readonly files: Files;
  readonly processes: Processes;
  /** What starts the agent's shell commands, where it is not `processes`: a sandbox. */
  readonly commands?: Processes;
  readonly clock: Clock;
  /** The agent's tree, absolute. Nothing outside it is written; commands start in it. */
  readonly root: string;
  /** The ripgrep program. */
  readonly rgPath: string;
  /** The whole environment of commands and of ripgrep: `PATH` at least, and no secret of ours. */
  readonly environment: Readonly<Record<string, string>>;
  /** What of the tree may be written; left out, all of it. */
  readonly writeScope?: WriteScope;
  /** What of the tree is not shown, relative to the root: others change it at the same time. Left out, nothing. */
  readonly hidden?: readonly string[];
  /** Directory of full outputs, absolute and outside the tree: read_file and grep may read it too. */
  readonly spillDirectory: string;
  /** Keys of this program's own, which no kept output may hold. */
  readonly secrets?: readonly string[];
}

/** UTF-16 units that a tool puts into one answer by itself; below the agent's cap, so that an answer is not cut twice. */
export const answerCharsMax = 28_000;
