// One program from its start to its end: what it wrote, capped, and how it ended. It ends with us, with its whole process group, and at its
// time limit.

import { err, ok, type Result } from "../base/result.ts";
import type { Host } from "../host/host.ts";
import type { SpawnSpec } from "../host/processes.ts";

export interface RunProgram extends Pick<SpawnSpec, "argv" | "cwd" | "env"> {
  readonly msMax: number;
  /** Of each stream; what is beyond is dropped. */
  readonly bytesMax: number;
  readonly signal: AbortSignal;
}

export interface EndedProgram {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly timedOut: boolean;
  readonly aborted: boolean;
  readonly stdout: Uint8Array;
  readonly stderr: Uint8Array;
  readonly ms: number;
}

/** After SIGTERM, so long until SIGKILL. */
const graceMs = 5_000;

/** The error is a sentence: the program could not be started. */
export async function runProgram(
  { processes, clock }: Pick<Host, "processes" | "clock">,
  { argv, cwd, env, msMax, bytesMax, signal }: RunProgram,
): Promise<Result<EndedProgram, string>> {
  const startedMs = clock.monotonicMs();
  const spawned = await processes.spawn({ argv, cwd, env, diesWithUs: true });
  if (!spawned.ok) return err(`${spawned.error.program} could not be started: ${spawned.error.message}`);
  const child = spawned.value;
  child.endInput();
  let timedOut = false;
  const timers: { cancel(): void }[] = [];
  const end = () => {
    child.kill("SIGTERM");
    timers.push(clock.after(graceMs, () => child.kill("SIGKILL")));
  };
  timers.push(
    clock.after(msMax, () => {
      timedOut = true;
      end();
    }),
  );
  if (signal.aborted) end();
  signal.addEventListener("abort", end, { once: true });
  const [stdout, stderr, exit] = await Promise.all([
    gathered(child.stdout, bytesMax),
    gathered(child.stderr, bytesMax),
    child.exit,
  ]);
  for (const timer of timers) timer.cancel();
  signal.removeEventListener("abort", end);
  // Whatever it left in its group, and the watcher.
  child.kill("SIGKILL");
  return ok({
    exitCode: exit.kind === "code" ? exit.code : null,
    signal: exit.kind === "signal" ? exit.signal : null,
    timedOut,
    aborted: signal.aborted,
    stdout,
    stderr,
    ms: clock.monotonicMs() - startedMs,
  });
}

async function gathered(stream: AsyncIterable<Uint8Array>, bytesMax: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    if (bytes >= bytesMax) continue;
    const kept = chunk.subarray(0, bytesMax - bytes);
    bytes += kept.length;
    chunks.push(kept);
  }
  return Buffer.concat(chunks);
}
