// A server process on a store and client processes on it: what they did together, and what it cost the server.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { cpuMs, peakBytes } from "./machine.ts";
import type { WritersResult, WritersTask } from "./writers.ts";

const root = join(import.meta.dirname, "..", "..");

export interface LoadWish {
  readonly directory: string;
  readonly processes: number;
  readonly task: Omit<WritersTask, "socket" | "share" | "shares">;
  /** Where the server's CPU profile goes; null: none is taken. */
  readonly profile?: string;
  /** Called when the server listens. */
  begun?(): void;
}

export interface LoadResult {
  readonly perSecond: number;
  /** Server's user and system time for each commit, µs; null where the system does not tell. */
  readonly cpuMicros: number | null;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly conflicts: number;
  readonly merged: number;
  readonly serverPeakBytes: number | null;
}

export interface RunningServer {
  readonly pid: number;
  readonly socket: string;
  stop(): Promise<void>;
}

export async function startServer(directory: string, profile?: string): Promise<RunningServer> {
  const flags = profile === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${profile}`];
  const args = [...flags, join(root, "dist", "skein.cjs"), "serve", "--store", directory, "--json"];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  child.stderr.on("data", (text) => {
    said += text;
  });
  const line = await firstLine(child);
  const { socket } = JSON.parse(line) as { socket: string };
  return {
    pid: child.pid ?? -1,
    socket,
    async stop() {
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      const [code] = await ended;
      if (code !== 0) throw new Error(`the server failed: ${said}`);
    },
  };
}

export async function underLoad({ directory, processes, task, profile, begun }: LoadWish): Promise<LoadResult> {
  const server = await startServer(directory, profile);
  try {
    begun?.();
    const clients = Array.from({ length: processes }, (_, share) =>
      startWriters({ ...task, socket: server.socket, share, shares: processes }),
    );
    await Promise.all(clients.map(({ ready }) => ready));
    for (const { go } of clients) go();
    await sleep(task.warmSeconds * 1_000);
    const before = cpuMs(server.pid);
    await sleep(task.seconds * 1_000);
    const after = cpuMs(server.pid);
    const results = await Promise.all(clients.map(({ result }) => result));
    const commits = results.reduce((sum, result) => sum + result.commits, 0);
    const latencies = results.flatMap((result) => result.latencies).sort((a, b) => a - b);
    const spentMs = before === null || after === null ? null : after - before;
    return {
      perSecond: commits / task.seconds,
      cpuMicros: spentMs === null || commits === 0 ? null : (spentMs * 1_000) / commits,
      p50Ms: quantile(latencies, 0.5),
      p99Ms: quantile(latencies, 0.99),
      conflicts: results.reduce((sum, result) => sum + result.conflicts, 0),
      merged: results.reduce((sum, result) => sum + result.merged, 0),
      serverPeakBytes: peakBytes(server.pid),
    };
  } finally {
    await server.stop();
  }
}

function startWriters(task: WritersTask) {
  const child = spawn(process.execPath, [join(import.meta.dirname, "writers.ts"), JSON.stringify(task)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = linesOf(child);
  const ready = lines.next();
  const result = ready.then(async () => {
    const line = await lines.next();
    if (line.done === true) throw new Error("a client process ended without its result");
    return JSON.parse(line.value) as WritersResult;
  });
  return { ready, result, go: () => void child.stdin?.write("go\n") };
}

async function firstLine(child: ChildProcess): Promise<string> {
  const line = await linesOf(child).next();
  if (line.done === true) throw new Error("the server ended before it listened");
  return line.value;
}

function linesOf(child: ChildProcess): AsyncIterator<string> {
  if (child.stdout === null) throw new Error("the child has an output");
  return createInterface({ input: child.stdout })[Symbol.asyncIterator]();
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
