// The StartedLook port on a pipe of the launcher's (clients/launcher-text.ts), on Linux, where a pipe can be opened again so that reading it
// waits for nobody. Invariant: only an output whose end says that git ended well is one; what began and is not wanted is ended.
// Form: `skein-look 1 <git's process>\n`, what git printed (records that each end with NUL), `whole`.

import { closeSync, constants, openSync, readSync } from "node:fs";
import type { StartedLook } from "../../host/started-look.ts";
import { systemError } from "./errors.ts";
import { linuxAgeMs } from "./linux-process-table.ts";

const header = /^skein-look 1 ([1-9]\d{0,9})\n/;
const headerBytesMax = 64;
const end = "whole";
const chunkBytes = 64 * 1024;
const bytesMax = 1024 * 1024;
/** What git may take beyond what it had while Node started. */
const msMax = 250;
const lookMs = 2;

/** Null where the launcher started none: `variable` is what it says of the pipe's descriptor. */
export function startedLook(
  variable: string | undefined,
  { directory, parentPid, now }: { readonly directory: string; readonly parentPid: number; readonly now: number },
): StartedLook | null {
  if (variable === undefined || !/^[3-9]$/.test(variable)) return null;
  const pipe = new Pipe(variable);
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
  readonly #variable: string;
  #descriptor: number | null = null;
  #chunks: Buffer[] = [];
  #bytes = 0;
  #over = false;

  constructor(variable: string) {
    this.#variable = variable;
  }

  async whole(): Promise<Uint8Array | null> {
    if (this.#over) return null;
    for (let looks = 0; looks < msMax / lookMs && !this.#read(); looks++)
      await new Promise((resolve) => setTimeout(resolve, lookMs));
    const whole = this.#over ? Buffer.concat(this.#chunks) : null;
    this.end();
    return whole === null ? null : partOf(whole);
  }

  /** Closes it; where its end was not reached, git is ended. */
  end(): void {
    if (!this.#over) {
      this.#read();
      const pid = this.#over ? undefined : header.exec(this.#beginning())?.[1];
      if (pid !== undefined) signal(Number(pid));
    }
    this.#over = true;
    this.#chunks = [];
    if (this.#descriptor !== null) closeSync(this.#descriptor);
    this.#descriptor = null;
  }

  #beginning(): string {
    return Buffer.concat(this.#chunks).toString("latin1", 0, headerBytesMax);
  }

  /** Takes what is there; true where there will be no more of use. */
  #read(): boolean {
    try {
      this.#descriptor ??= openSync(`/proc/self/fd/${this.#variable}`, constants.O_RDONLY | constants.O_NONBLOCK);
      while (this.#bytes <= bytesMax) {
        const chunk = Buffer.allocUnsafe(chunkBytes);
        const count = readSync(this.#descriptor, chunk, 0, chunk.length, null);
        if (count === 0) {
          this.#over = true;
          return true;
        }
        this.#chunks.push(chunk.subarray(0, count));
        this.#bytes += count;
      }
      return true;
    } catch (cause) {
      return systemError(cause).code !== "EAGAIN";
    }
  }
}

function partOf(whole: Buffer): Uint8Array | null {
  const first = header.exec(whole.toString("latin1", 0, headerBytesMax))?.[0];
  if (first === undefined) return null;
  const records = whole.subarray(first.length);
  const last = records.lastIndexOf(0) + 1;
  return records.toString("latin1", last) === end ? records.subarray(0, last) : null;
}

function signal(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (cause) {
    systemError(cause);
  }
}
