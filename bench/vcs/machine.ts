// What the machine does while it is measured: the raw rate of fdatasync of the same disk, the load, a process's CPU and memory.

import { closeSync, fdatasyncSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";

export interface Rate {
  /** Per second. */
  readonly median: number;
  /** (largest − smallest) / median over the windows; null for a single one. */
  readonly spread: number | null;
}

const syncedBytes = 8 * 1024;
const windows = 5;

/** Appends 8 KiB and calls fdatasync, again and again: what one writer who waits for each flush can reach at most. */
export function fdatasyncRate(directory: string, seconds: number): Rate {
  const path = join(directory, "fdatasync");
  const file = openSync(path, "w");
  const bytes = Buffer.alloc(syncedBytes, 1);
  const rates: number[] = [];
  try {
    for (let window = 0; window < windows; window += 1) {
      const start = performance.now();
      let count = 0;
      let spentMs = 0;
      while (spentMs < (seconds * 1_000) / windows) {
        writeSync(file, bytes);
        fdatasyncSync(file);
        count += 1;
        spentMs = performance.now() - start;
      }
      rates.push((count * 1_000) / spentMs);
    }
  } finally {
    closeSync(file);
    rmSync(path);
  }
  return rateOf(rates);
}

export function rateOf(values: readonly number[]): Rate {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = median(sorted);
  if (sorted.length < 2 || middle === 0) return { median: middle, spread: null };
  return { median: middle, spread: ((sorted.at(-1) ?? 0) - (sorted[0] ?? 0)) / middle };
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const half = Math.floor(sorted.length / 2);
  const upper = sorted[half] ?? 0;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[half - 1] ?? upper)) / 2;
}

/** Processes that want to run, averaged over the last minute. */
export function load(): number {
  return loadavg()[0] ?? 0;
}

export function machineLine(): string {
  const [cpu] = cpus();
  return `${cpus().length} × ${cpu?.model.trim() ?? "unknown processor"}, Node ${process.version}`;
}

const ticksASecond = 100;

/** User and system time of a process since its start, milliseconds; Linux only, else null. */
export function cpuMs(pid: number): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return ((Number(fields[11]) + Number(fields[12])) * 1_000) / ticksASecond;
  } catch {
    return null;
  }
}

/** The most memory a process has had so far, bytes; Linux only, else null. */
export function peakBytes(pid: number): number | null {
  try {
    const kibibytes = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return kibibytes === undefined ? null : Number(kibibytes) * 1024;
  } catch {
    return null;
  }
}
