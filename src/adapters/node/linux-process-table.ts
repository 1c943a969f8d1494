// The ProcessTable port on Linux's /proc. Reads are synchronous: they touch no disk, and a hook lives for milliseconds. They are of UTF-8,
// which Node reads in one call; for every other form it takes 64 KB of memory for a file whose size says 0.

import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import type { Machine, ProcessChild, ProcessLook, ProcessTable } from "../../host/process-table.ts";
import { systemError } from "./errors.ts";
import { readStatLine } from "./linux-stat.ts";

export const linuxProcessTable: ProcessTable = {
  machine: async () => readMachine(),
  look: async (pids) => new Map(pids.map((pid) => [pid, lookAt(pid)])),
  children: async (pid) => linuxChildren(pid),
};

/** Of a second: what `/proc` counts in for programs, on every Linux (`sysconf(_SC_CLK_TCK)`). */
const ticksPerSecond = 100;

/** From `/proc/<pid>/task/<thread>/children`, which kernels have unless they were built without. */
export function linuxChildren(pid: number): readonly ProcessChild[] | null {
  const uptimeS = Number(textOf("/proc/uptime")?.split(" ")[0]);
  if (!Number.isFinite(uptimeS) || !Number.isSafeInteger(pid) || pid < 1) return null;
  let threads: readonly string[];
  try {
    threads = readdirSync(`/proc/${pid}/task`);
  } catch (cause) {
    return systemError(cause).code === "ENOENT" ? [] : null;
  }
  const lists = threads.map((thread) => textOf(`/proc/${pid}/task/${thread}/children`));
  if (lists.length > 0 && lists.every((list) => list === null)) return null;
  return lists
    .flatMap((list) => (list ?? "").split(" ").filter((word) => word !== ""))
    .flatMap((word) => {
      const look = lookAt(Number(word));
      if (look.kind !== "running" || look.start.kind !== "ticks") return [];
      return [{ pid: Number(word), ageMs: Math.max(0, (uptimeS - look.start.ticks / ticksPerSecond) * 1_000) }];
    });
}

/** How long ago that process began, to a hundredth of a second; null where it is not running or that cannot be told. */
export function linuxAgeMs(pid: number): number | null {
  const uptimeS = Number(textOf("/proc/uptime")?.split(" ")[0]);
  const look = lookAt(pid);
  if (!Number.isFinite(uptimeS) || look.kind !== "running" || look.start.kind !== "ticks") return null;
  return (uptimeS - look.start.ticks / ticksPerSecond) * 1_000;
}

function readMachine(): Machine {
  const id = textOf("/etc/machine-id");
  const name = textOf("/proc/sys/kernel/hostname") ?? "unknown";
  return {
    host: id === null || id === "" ? name : `${name}/${id.slice(0, 12)}`,
    boot: textOf("/proc/sys/kernel/random/boot_id"),
    namespace: readNamespace(),
  };
}

/** Null where /proc belongs to another namespace than we do: then the numbers in it are not those that we are told. */
function readNamespace(): string | null {
  try {
    return readlinkSync("/proc/self") === String(process.pid) ? readlinkSync("/proc/self/ns/pid") : null;
  } catch (cause) {
    systemError(cause);
    return null;
  }
}

function lookAt(pid: number): ProcessLook {
  // 0 and negative numbers would mean whole groups to `kill`.
  if (!Number.isSafeInteger(pid) || pid < 1) return { kind: "unreadable", message: `not a process number: ${pid}` };
  const first = readStat(pid);
  if (first.kind !== "gone" && first.kind !== "unreadable") return first;
  const existence = signalNothing(pid);
  // It may have come between the two looks.
  if (existence === "ours") return readStat(pid);
  if (existence === "another's") return { kind: "hidden" };
  return existence === "none" ? { kind: "gone" } : { kind: "unreadable", message: existence };
}

function readStat(pid: number): ProcessLook {
  try {
    return readStatLine(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch (cause) {
    const { code, message } = systemError(cause);
    return code === "ENOENT" || code === "ESRCH" ? { kind: "gone" } : { kind: "unreadable", message };
  }
}

/** With `hidepid` the files of other users' processes are not there, and only the refusal of a signal tells that they live. */
function signalNothing(pid: number): "ours" | "another's" | "none" | (string & {}) {
  try {
    process.kill(pid, 0);
    return "ours";
  } catch (cause) {
    const { code, message } = systemError(cause);
    if (code === "EPERM") return "another's";
    return code === "ESRCH" ? "none" : message;
  }
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, "utf8").trim();
  } catch (cause) {
    systemError(cause);
    return null;
  }
}
