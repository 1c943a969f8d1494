// What a process of ours finds around it: the same for every entry, from source and from the bundle.

import { readdirSync, writeFileSync } from "node:fs";
import { constants, setPriority, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Surroundings } from "../app/surroundings.ts";
import type { Host } from "../host/host.ts";

export function surroundingsOf(host: Host, cwd: string = process.cwd()): Surroundings {
  const own = fileURLToPath(import.meta.url);
  const fromSource = own.endsWith(".ts");
  // From source this is src/entries/surroundings.ts; in the bundle a file somewhere below dist/.
  const packageRoot = fromSource ? dirname(dirname(dirname(own))) : rootAbove(own);
  return {
    host,
    env: process.env,
    cwd,
    processId: process.pid,
    platform: process.platform,
    packageRoot,
    nodePath: process.execPath,
    workerHost: [
      fromSource ? join(packageRoot, "src", "entries", "worker-host.ts") : join(packageRoot, "dist", "worker-host.js"),
    ],
    temporaryDirectory: tmpdir(),
    stepBack,
  };
}

const { PRIORITY_BELOW_NORMAL: backward } = constants.priority;

function stepBack(child?: number): void {
  try {
    // On Linux a priority is a thread's: those of the engine and of the file system are there already.
    for (const thread of threadsOf(child ?? process.pid)) setPriority(thread, backward);
    // Where Linux groups processes by session (autogroup, sched(7)), a priority counts within the session alone: this is the session's.
    if (child !== undefined) writeFileSync(`/proc/${child}/autogroup`, String(backward));
  } catch {
    // A system that refuses leaves it as important as others.
  }
}

function threadsOf(pid: number): readonly number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map(Number);
  } catch {
    return [pid];
  }
}

/** Null where the directory was removed under this process. */
export function workingDirectory(): string | null {
  try {
    return process.cwd();
  } catch {
    return null;
  }
}

function rootAbove(path: string): string {
  const parts = path.split("/dist/");
  return parts.slice(0, -1).join("/dist/");
}
