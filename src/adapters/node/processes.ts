// The Processes port on node:child_process. Each child leads a new session and so a new process group.

import { type ChildProcess as SpawnedProcess, spawn as spawnChild } from "node:child_process";
import { stat } from "node:fs/promises";
import { Socket } from "node:net";
import { PassThrough, type Readable, type Writable } from "node:stream";
import { assert } from "../../base/assert.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { ChildProcess, ProcessExit, Processes, SpawnError, SpawnSpec } from "../../host/processes.ts";
import { byteSource } from "./byte-source.ts";
import { systemError } from "./errors.ts";
import { underWatch } from "./lifeline.ts";
import { leaderEnded, signalGroup, type TrackedGroup, trackGroup } from "./process-groups.ts";

export const nodeProcesses: Processes = { spawn };

type Started = Pick<SpawnedProcess, "pid" | "on" | "once"> & {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable | null;
  readonly begin: Readable | null;
};

async function spawn(wanted: SpawnSpec): Promise<Result<ChildProcess, SpawnError>> {
  const { spec, mark } = wanted.diesWithUs === true ? await underWatch(wanted) : { spec: wanted, mark: null };
  let child: Started;
  try {
    child = start(spec);
  } catch (cause) {
    return err(await spawnError(spec, cause));
  }
  const { pid } = child;
  if (pid === undefined) {
    const cause = await new Promise<unknown>((resolve) => child.once("error", resolve));
    return err(await spawnError(spec, cause));
  }
  return ok(childProcess(child, pid, { atExit: spec.atExit ?? "SIGKILL", mark }));
}

function start(spec: SpawnSpec): Started {
  const [program, ...args] = spec.argv;
  const child = spawnChild(program, args, {
    cwd: spec.cwd,
    env: { ...spec.env },
    detached: true,
    stdio: [
      "pipe",
      "pipe",
      spec.stderr === "inherit" ? "inherit" : "pipe",
      // Held open by us and never written: its end tells the watcher that we are gone.
      ...(spec.diesWithUs === true ? (["pipe"] as const) : spec.tellsBegin === true ? (["ignore"] as const) : []),
      ...(spec.tellsBegin === true ? (["pipe"] as const) : []),
    ],
  });
  const [stdin, stdout, stderr, lifeline, begin] = child.stdio;
  assert(stdin instanceof Socket && stdout instanceof Socket, "input and output are pipes");
  lifeline?.on("error", () => undefined);
  if (lifeline instanceof Socket) lifeline.unref();
  return Object.assign(child, {
    stdin,
    stdout,
    stderr: stderr instanceof Socket ? stderr : null,
    begin: begin instanceof Socket ? begin : null,
  });
}

function childProcess(child: Started, pid: number, group: TrackedGroup): ChildProcess {
  trackGroup(pid, group);
  // Errors after the start (a failed kill) have no one to tell: `exit` says how the child ended.
  child.on("error", () => undefined);
  // A child that does not read its input is no fault of ours; `write` answers false.
  child.stdin.on("error", () => undefined);
  const exit = new Promise<ProcessExit>((resolve) => {
    child.once("exit", (code, signal) => {
      leaderEnded(pid);
      resolve(signal === null ? { kind: "code", code: code ?? 0 } : { kind: "signal", signal });
    });
  });
  return {
    pid,
    ...(child.begin === null ? {} : { begun: beginOf(child.begin, exit) }),
    write: (bytes) => new Promise((resolve) => child.stdin.write(bytes, (error) => resolve(!error))),
    endInput: () => void child.stdin.end(),
    stdout: byteSource(child.stdout, { idleUnref: true }),
    stderr: byteSource(child.stderr ?? new PassThrough().end(), { idleUnref: true }),
    exit,
    kill: (signal) => signalGroup(pid, signal),
  };
}

/** How long after a child's end its last word may be under way, milliseconds. */
const lastWordMsMax = 1_000;

/** In doubt it has begun: what might have been done is not done again. */
async function beginOf(pipe: Readable, exit: Promise<ProcessExit>): Promise<boolean> {
  const { promise: told, resolve: tell } = Promise.withResolvers<boolean>();
  pipe.on("data", () => tell(true));
  pipe.once("end", () => tell(false));
  pipe.once("error", () => tell(true));
  void exit.then(() => setTimeout(() => tell(true), lastWordMsMax).unref());
  const begun = await told;
  pipe.destroy();
  return begun;
}

async function spawnError(spec: SpawnSpec, cause: unknown): Promise<SpawnError> {
  const { code, message } = systemError(cause);
  const base = { kind: "spawn", program: spec.argv[0], message } as const;
  if (code === "EACCES" || code === "EPERM") return { ...base, code: "denied" };
  if (code !== "ENOENT") return { ...base, code: "other" };
  // The system gives one error for a missing program and a missing directory.
  const directory = await stat(spec.cwd).catch(() => null);
  if (directory === null) return { ...base, code: "other", message: `no such working directory: ${spec.cwd}` };
  return { ...base, code: "not-found" };
}
