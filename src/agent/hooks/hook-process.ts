// One command of a hook from start to end: the event as JSON on its standard input, its output within limits, its process group ended where
// it takes too long or the agent is aborted. What it leaves in the background by itself is the person's and is left alone.

import { stripVTControlCharacters } from "node:util";
import type { Clock } from "../../host/clock.ts";
import type { ChildProcess, Processes, SpawnSpec } from "../../host/processes.ts";

export interface HookProcesses {
  readonly processes: Processes;
  readonly clock: Clock;
}

export interface HookStart {
  readonly command: string;
  readonly args: readonly string[] | null;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly input: unknown;
}

export type HookEnd =
  | { readonly kind: "exited"; readonly code: number | null; readonly stdout: string; readonly stderr: string }
  | { readonly kind: "timed-out"; readonly timeoutMs: number }
  | { readonly kind: "cancelled" }
  | { readonly kind: "not-started"; readonly message: string };

const stdoutBytesMax = 1024 * 1024;
const stderrBytesMax = 64 * 1024;
/** Between SIGTERM and SIGKILL. */
const killGraceMs = 300;
/** For outputs that a process in the background still holds. */
const pipeGraceMs = 200;

export async function runHook(
  { processes, clock }: HookProcesses,
  start: HookStart,
  signal: AbortSignal,
): Promise<HookEnd> {
  if (signal.aborted) return { kind: "cancelled" };
  const { command, args, cwd, env } = start;
  const argv: SpawnSpec["argv"] = args === null ? ["sh", "-c", command] : [command, ...args];
  const spawned = await processes.spawn({ argv, cwd, env });
  if (!spawned.ok) return { kind: "not-started", message: spawned.error.message };
  const child = spawned.value;
  const [stdout, stderr] = [new Text(child.stdout, stdoutBytesMax), new Text(child.stderr, stderrBytesMax)];
  // One that does not read its input closes it: no fault.
  void child.write(Buffer.from(`${JSON.stringify(start.input)}\n`)).then(() => child.endInput());
  const stop = Promise.withResolvers<"timed-out" | "cancelled">();
  const timer = clock.after(start.timeoutMs, () => stop.resolve("timed-out"));
  const onAbort = () => stop.resolve("cancelled");
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    const first = await Promise.race([child.exit, stop.promise]);
    if (typeof first === "string") {
      await endGroup(child, clock);
      return first === "cancelled" ? { kind: first } : { kind: first, timeoutMs: start.timeoutMs };
    }
    await within(Promise.all([stdout.whole, stderr.whole]), pipeGraceMs, clock);
    const code = first.kind === "code" ? first.code : null;
    return { kind: "exited", code, stdout: stdout.text(), stderr: stderr.text() };
  } finally {
    timer.cancel();
    signal.removeEventListener("abort", onAbort);
    stdout.close();
    stderr.close();
  }
}

/** What comes of a stream up to its limit; the rest is read and dropped, so that nobody is held up. */
class Text {
  readonly whole: Promise<void>;
  private readonly pieces: Uint8Array[] = [];
  private readonly iterator: AsyncIterator<Uint8Array>;
  private bytesLeft: number;

  constructor(stream: AsyncIterable<Uint8Array>, bytesMax: number) {
    this.iterator = stream[Symbol.asyncIterator]();
    this.bytesLeft = bytesMax;
    this.whole = this.read();
  }

  text(): string {
    return stripVTControlCharacters(Buffer.concat(this.pieces).toString("utf8"));
  }

  close(): void {
    this.iterator.return?.().catch(() => {});
  }

  private async read(): Promise<void> {
    for (let next = await this.iterator.next(); next.done !== true; next = await this.iterator.next()) {
      const piece = next.value.subarray(0, this.bytesLeft);
      this.bytesLeft -= piece.length;
      if (piece.length > 0) this.pieces.push(piece);
    }
  }
}

async function endGroup(child: ChildProcess, clock: Clock): Promise<void> {
  child.kill("SIGTERM");
  await within(child.exit, killGraceMs, clock);
  // Also those of its group that outlived it.
  child.kill("SIGKILL");
}

async function within(work: Promise<unknown>, ms: number, clock: Clock): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = clock.after(ms, resolve);
  await Promise.race([work, late]);
  timer.cancel();
}
