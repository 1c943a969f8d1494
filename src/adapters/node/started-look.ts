// The StartedLook port on a pipe of the launcher's (clients/launcher-text.ts), on Linux, where a pipe can be opened again so that reading it
// waits for nobody. Invariant: only an output whose end says that git ended well is one; what runs on and is not wanted is ended.
// Form: what git printed (records that each end with NUL), then `whole`.

import { closeSync, constants, openSync, readlinkSync, readSync } from "node:fs";
import type { StartedLook, StartedOutput } from "../../host/started-look.ts";
import { systemError } from "./errors.ts";
import { linuxAgeMs, linuxChildren } from "./linux-process-table.ts";

const end = "whole";
const chunkBytes = 64 * 1024;
const bytesMax = 1024 * 1024;
/** What git may take beyond what it had while Node started. */
const msMax = 250;
const lookMs = 2;

export interface Starting {
  /** `SKEIN_LOOK`: the pipe's descriptor and the launcher's process, as `4:123`; absent where it started no git. */
  readonly variable: string | undefined;
  readonly directory: string;
  readonly parentPid: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

export function startedLook({ variable, directory, parentPid, now }: Starting): StartedLook | null {
  const [, descriptor, launcher] = /^([3-9]):([1-9]\d{0,9})$/.exec(variable ?? "") ?? [];
  // The launcher waits for this process: where it does not, it is gone, or the variable is older than it.
  if (descriptor === undefined || Number(launcher) !== parentPid || parentPid === 1) return null;
  const pipe = new Pipe(descriptor, parentPid);
  return {
    directory,
    // The launcher began before what it started. Its clock counts in hundredths of a second.
    notBefore: () => {
      const ageMs = linuxAgeMs(parentPid);
      // Less than this process's own age is another's clock, as containers have it.
      return ageMs === null || ageMs + tickMs < performance.now() ? null : Math.floor(now - ageMs - 2 * tickMs);
    },
    output: () => pipe.whole(),
    drop: () => pipe.end(),
  };
}

const tickMs = 10;

class Pipe {
  readonly #path: string;
  readonly #launcher: number;
  #descriptor: number | null = null;
  #chunks: Buffer[] = [];
  #bytes = 0;
  #state: "open" | "ended" | "closed" = "open";

  constructor(descriptor: string, launcher: number) {
    this.#path = `/proc/self/fd/${descriptor}`;
    this.#launcher = launcher;
  }

  async whole(): Promise<StartedOutput> {
    if (this.#state === "closed") return { kind: "failed" };
    for (let looks = 0; looks < msMax / lookMs && this.#mayHaveMore(); looks++)
      await new Promise((resolve) => setTimeout(resolve, lookMs));
    const whole = this.#state === "ended" ? Buffer.concat(this.#chunks) : null;
    this.end();
    if (whole === null) return { kind: "given-up" };
    const bytes = recordsOf(whole);
    return bytes === null ? { kind: "failed" } : { kind: "whole", bytes };
  }

  /** Closes it; where its end was not reached, git is ended. */
  end(): void {
    if (this.#state === "open") this.#mayHaveMore();
    if (this.#state === "open") endGit(this.#launcher, this.#path);
    this.#state = "closed";
    this.#chunks = [];
    if (this.#descriptor !== null) closeSync(this.#descriptor);
    this.#descriptor = null;
  }

  /** Takes what is there. */
  #mayHaveMore(): boolean {
    try {
      this.#descriptor ??= openSync(this.#path, constants.O_RDONLY | constants.O_NONBLOCK);
      while (this.#bytes <= bytesMax) {
        const chunk = Buffer.allocUnsafe(chunkBytes);
        const count = readSync(this.#descriptor, chunk, 0, chunk.length, null);
        if (count === 0) {
          this.#state = "ended";
          return false;
        }
        this.#chunks.push(chunk.subarray(0, count));
        this.#bytes += count;
      }
      return false;
    } catch (cause) {
      return systemError(cause).code === "EAGAIN";
    }
  }
}

function recordsOf(whole: Buffer): Uint8Array | null {
  const last = whole.lastIndexOf(0) + 1;
  return whole.toString("latin1", last) === end ? whole.subarray(0, last) : null;
}

/**
 * The launcher has two children: this process, and a shell that ends when its git does, told by where it writes. The launcher is silent about
 * that signal alone.
 */
function endGit(launcher: number, pipe: string): void {
  const own = linkOf(pipe);
  for (const { pid } of linuxChildren(launcher) ?? []) {
    if (pid === process.pid || own === null || linkOf(`/proc/${pid}/fd/1`) !== own) continue;
    const programs = linuxChildren(pid) ?? [];
    for (const program of programs) signal(program.pid, "SIGKILL");
    if (programs.length === 0) signal(pid, "SIGPIPE");
  }
}

function linkOf(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch (cause) {
    systemError(cause);
    return null;
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (cause) {
    systemError(cause);
  }
}
