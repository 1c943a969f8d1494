// The Processes port on simulated programs: async functions by name. A killed program's calls never answer again.

import { err, ok, type Result } from "../../base/result.ts";
import type { Clock } from "../../host/clock.ts";
import type { Files } from "../../host/files.ts";
import type { ChildProcess, ProcessExit, Processes, SpawnError, SpawnSpec } from "../../host/processes.ts";
import type { Disk } from "./disk/disk.ts";
import { directoryAt } from "./disk/operations.ts";
import type { Life } from "./life.ts";
import { Pipe } from "./pipe.ts";

export interface SimCall {
  readonly argv: SpawnSpec["argv"];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: AsyncIterable<Uint8Array>;
  /** As `write(2)` to a pipe: waits while it is full, false when nobody reads any more. */
  stdout(bytes: Uint8Array): Promise<boolean>;
  stderr(bytes: Uint8Array): Promise<boolean>;
  readonly files: Files;
  readonly clock: Clock;
  /** Aborts when the process is killed: by then its exit is already told. */
  readonly killed: AbortSignal;
}

/** Answers its exit, or its exit code. A rejection is a bug in the test and fails the run. */
export type SimProgram = (call: SimCall) => Promise<ProcessExit | number>;

/** What the machine gives each started program. */
export interface ProgramHost {
  readonly life: Life;
  readonly files: Files;
  readonly clock: Clock;
}

export interface ProcessesContext {
  readonly disk: Disk;
  /** By `argv[0]`, whole or its last part. */
  readonly programs: ReadonlyMap<string, SimProgram>;
  /** The spawning process. */
  readonly life: Life;
  nextPid(): number;
  /** A new process of the machine; `end` of its life is registered for a power loss. */
  startProgram(): ProgramHost;
  fail(error: unknown): void;
}

export function simProcesses(context: ProcessesContext): Processes {
  return { spawn: (spec) => context.life.call(() => spawn(context, spec)) };
}

function spawn(context: ProcessesContext, spec: SpawnSpec): Result<ChildProcess, SpawnError> {
  const [name] = spec.argv;
  const directory = directoryAt(context.disk, spec.cwd);
  if (!directory.ok) {
    return err({ kind: "spawn", code: "other", program: name, message: `no such working directory: ${spec.cwd}` });
  }
  const program = context.programs.get(name) ?? context.programs.get(name.slice(name.lastIndexOf("/") + 1));
  if (program === undefined) {
    return err({ kind: "spawn", code: "not-found", program: name, message: `spawn ${name} ENOENT` });
  }
  return ok(new SimChild(context, spec, program));
}

class SimChild implements ChildProcess {
  readonly pid: number;
  readonly stdout: AsyncIterable<Uint8Array>;
  readonly stderr: AsyncIterable<Uint8Array>;
  readonly exit: Promise<ProcessExit>;
  private readonly pipes = { stdin: new Pipe(), stdout: new Pipe(), stderr: new Pipe() };
  private readonly killing = new AbortController();
  private readonly life: Life;
  private readonly forgetParent: () => void;
  private finished = false;
  private resolveExit: (exit: ProcessExit) => void = () => undefined;

  constructor(context: ProcessesContext, spec: SpawnSpec, program: SimProgram) {
    const { stdin, stdout, stderr } = this.pipes;
    this.pid = context.nextPid();
    this.stdout = stdout.bytes;
    this.stderr = stderr.bytes;
    if (spec.stderr === "inherit") stderr.break();
    this.exit = new Promise((resolve) => {
      this.resolveExit = resolve;
    });
    const host = context.startProgram();
    this.life = host.life;
    host.life.onEnd(() => this.finish({ kind: "signal", signal: "SIGKILL" }));
    // A parent that dies leaves its children running, with nobody at the other end of their pipes.
    this.forgetParent = context.life.onEnd(() => {
      stdin.end();
      stdout.break();
      stderr.break();
    });
    const call: SimCall = {
      argv: spec.argv,
      cwd: spec.cwd,
      env: spec.env,
      stdin: stdin.bytes,
      stdout: (bytes) => stdout.write(bytes),
      stderr: (bytes) => stderr.write(bytes),
      files: host.files,
      clock: host.clock,
      killed: this.killing.signal,
    };
    void this.run(program, call).catch((error: unknown) => context.fail(error));
  }

  write(bytes: Uint8Array): Promise<boolean> {
    return this.pipes.stdin.write(bytes);
  }

  endInput(): void {
    this.pipes.stdin.end();
  }

  kill(signal: "SIGTERM" | "SIGKILL" | "SIGINT"): void {
    this.finish({ kind: "signal", signal });
  }

  private async run(program: SimProgram, call: SimCall): Promise<void> {
    // The parent gets its handle before the program's first step.
    await undefined;
    if (!this.life.alive) return;
    const exit = await program(call);
    this.finish(typeof exit === "number" ? { kind: "code", code: exit } : exit);
  }

  /** The first end counts: what a killed program still answers is nothing. */
  private finish(exit: ProcessExit): void {
    if (this.finished) return;
    this.finished = true;
    this.resolveExit(exit);
    this.forgetParent();
    this.pipes.stdin.break();
    this.pipes.stdout.end();
    this.pipes.stderr.end();
    if (exit.kind === "signal") this.killing.abort();
    this.life.end();
  }
}
