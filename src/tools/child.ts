// One child process of a tool from start to end: its output is taken as it comes, and when this returns the child's whole process
// group is gone, whether it ended, ran out of time, was cancelled or left processes behind that hold its pipes open.

import { ok, type Result } from "../base/result.ts";
import type { Clock } from "../host/clock.ts";
import type { ChildProcess, ProcessExit, SpawnError, SpawnSpec } from "../host/processes.ts";
import type { ToolEnv } from "./env.ts";

/** Between SIGTERM and SIGKILL. */
const killGraceMs = 300;
/** For pipes to close after the child ended, and again after its group was killed. */
const pipeGraceMs = 400;

export interface ChildRun {
  readonly spec: SpawnSpec;
  readonly timeLimitMs: number;
  readonly signal: AbortSignal;
  /** Takes a piece of output; `enough` ends the child. The child waits while this does. */
  readonly onStdout: (bytes: Uint8Array) => Promise<"more" | "enough">;
  readonly onStderr: (bytes: Uint8Array) => Promise<"more" | "enough">;
}

export type ChildEnd =
  /** `strays`: other processes of its group held the pipes open and were killed. */
  | { readonly kind: "exited"; readonly exit: ProcessExit; readonly strays: boolean }
  | { readonly kind: "stopped"; readonly why: "time-limit" | "cancelled" | "enough" };

export async function runChild(
  env: Pick<ToolEnv, "processes" | "clock">,
  run: ChildRun,
): Promise<Result<ChildEnd, SpawnError>> {
  if (run.signal.aborted) return ok({ kind: "stopped", why: "cancelled" });
  const spawned = await env.processes.spawn(run.spec);
  if (!spawned.ok) return spawned;
  const child = spawned.value;
  child.endInput();
  const stop = Promise.withResolvers<ChildEnd & { kind: "stopped" }>();
  const stopFor = (why: "time-limit" | "cancelled" | "enough") => stop.resolve({ kind: "stopped", why });
  const timer = env.clock.after(run.timeLimitMs, () => stopFor("time-limit"));
  const onAbort = () => stopFor("cancelled");
  run.signal.addEventListener("abort", onAbort, { once: true });
  // It may have aborted while the child was being started.
  if (run.signal.aborted) onAbort();
  const pipes = new Pipes(child, run, () => stopFor("enough"));
  try {
    const exited = child.exit.then((exit) => ({ kind: "exited", exit }) as const);
    const first = await Promise.race([exited, stop.promise]);
    if (first.kind === "stopped") await stopGroup(child, env.clock);
    const strays = await pipes.close(child, env.clock);
    return ok(first.kind === "stopped" ? first : { ...first, strays });
  } finally {
    // Also what redirected its output and went on in the background.
    child.kill("SIGKILL");
    timer.cancel();
    run.signal.removeEventListener("abort", onAbort);
  }
}

async function stopGroup(child: ChildProcess, clock: Clock): Promise<void> {
  child.kill("SIGTERM");
  if (await within(child.exit, killGraceMs, clock)) return;
  child.kill("SIGKILL");
  await within(child.exit, killGraceMs, clock);
}

class Pipes {
  private readonly sources: readonly AsyncIterator<Uint8Array>[];
  private readonly drained: Promise<unknown>;
  private wanted = true;

  constructor(child: ChildProcess, run: ChildRun, onEnough: () => void) {
    const stdout = child.stdout[Symbol.asyncIterator]();
    const stderr = child.stderr[Symbol.asyncIterator]();
    this.sources = [stdout, stderr];
    this.drained = Promise.all([
      this.drain(stdout, run.onStdout, onEnough),
      this.drain(stderr, run.onStderr, onEnough),
    ]);
    // Whoever cannot take output has a bug: the child is not left to fill its pipe, and `close` throws what was thrown.
    this.drained.catch(onEnough);
  }

  /** Waits for the end of the output, but not for ever; true if something had to be killed for it. */
  async close(child: ChildProcess, clock: Clock): Promise<boolean> {
    if (await within(this.drained, pipeGraceMs, clock)) return false;
    child.kill("SIGKILL");
    if (await within(this.drained, pipeGraceMs, clock)) return true;
    // A process that left the group keeps its pipe: its output is no longer ours.
    this.wanted = false;
    for (const source of this.sources) source.return?.().catch(() => {});
    return true;
  }

  /** After `enough` the rest is still read, and dropped: a full pipe would keep the child from ending. */
  private async drain(
    source: AsyncIterator<Uint8Array>,
    onBytes: ChildRun["onStdout"],
    onEnough: () => void,
  ): Promise<void> {
    for (let next = await source.next(); next.done !== true; next = await source.next()) {
      if (!this.wanted) continue;
      if ((await onBytes(next.value)) === "more") continue;
      this.wanted = false;
      onEnough();
    }
  }
}

/** True if `work` is done in time. */
async function within(work: Promise<unknown>, ms: number, clock: Clock): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<boolean>();
  const timer = clock.after(ms, () => resolve(false));
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    timer.cancel();
  }
}
