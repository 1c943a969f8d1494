// Writing to standard output or error without Node's stream for it, which costs a process that lives for milliseconds several of them.

import { fstatSync, writeSync } from "node:fs";

type StandardOutput = 1 | 2;

/**
 * What could not be written and is for the stream: nothing where all went, everything after the first byte that a full pipe in
 * non-blocking mode, a closed one or a full disk did not take. The stream then waits, or tells the error.
 */
export function writeDirectly(descriptor: StandardOutput, bytes: Uint8Array, platform: string): Uint8Array {
  // Consoles there take no bytes.
  if (platform === "win32") return bytes;
  let done = 0;
  try {
    while (done < bytes.length) done += writeSync(descriptor, bytes, done);
  } catch (cause) {
    // Told by the stream, which meets the same.
    if (!(cause instanceof Error && "code" in cause)) throw cause;
  }
  return bytes.subarray(done);
}

/** False also where it cannot be told that this is none: then the stream has to be asked. */
export function isNoTerminal(descriptor: StandardOutput): boolean {
  try {
    const stats = fstatSync(descriptor);
    return stats.isFile() || stats.isFIFO() || stats.isSocket();
  } catch {
    return false;
  }
}

/** For a program that prints once: into pipes and files without the streams, as long as these take what comes. `onError` hears of their errors. */
export function directOutputs(onError: Readonly<Record<"out" | "note", () => void>>) {
  return {
    out: direct(1, () => process.stdout.on("error", onError.out)),
    note: direct(2, () => process.stderr.on("error", onError.note)),
  };
}

function direct(descriptor: StandardOutput, openStream: () => NodeJS.WriteStream) {
  let stream = isNoTerminal(descriptor) ? null : openStream();
  return {
    isTerminal: stream?.isTTY === true,
    /** All that was written has gone out: no stream has any of it. */
    get isDone(): boolean {
      return stream === null;
    },
    write: (data: string | Uint8Array): void => {
      const bytes = typeof data === "string" ? Buffer.from(data) : data;
      const rest = stream === null ? writeDirectly(descriptor, bytes, process.platform) : bytes;
      if (rest.length === 0) return;
      // From here on all goes through it, or what comes later would be there sooner.
      stream ??= openStream();
      stream.write(rest);
    },
  };
}
