// The lock that the process at work on a run holds: it vanishes with the process.

import { join } from "node:path";
import { lockPath } from "../log/segments/lock-path.ts";
import type { FoundRun } from "./find-runs.ts";

export type LockedRun = Pick<FoundRun, "kind" | "directories">;

/** What the process that is at work on a run holds. */
export function runLock({ kind, directories }: LockedRun): string {
  return kind === "swarm" ? lockPath(directories.store) : join(directories.run, "run.lock");
}
