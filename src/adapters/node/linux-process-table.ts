// The ProcessTable port on Linux's /proc. Reads are synchronous: they touch no disk, and a hook lives for milliseconds.

import { readFileSync, readlinkSync } from "node:fs";
import type { Machine, ProcessLook, ProcessTable } from "../../host/process-table.ts";
import { systemError } from "./errors.ts";
import { readStatLine } from "./linux-stat.ts";

export const linuxProcessTable: ProcessTable = {
  machine: async () => readMachine(),
  look: async (pids) => new Map(pids.map((pid) => [pid, lookAt(pid)])),
};

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
    return readStatLine(readFileSync(`/proc/${pid}/stat`, "latin1"));
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
    return readFileSync(path, "latin1").trim();
  } catch (cause) {
    systemError(cause);
    return null;
  }
}
