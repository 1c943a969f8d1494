// Reads one JSON object from standard input. It never waits for the input's end once the object is whole: some clients keep theirs open.
// Files, and pipes on Linux, are read without a stream, which costs a process that lives for milliseconds several of them.

import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import type { Readable } from "node:stream";
import { err, ok, type Result } from "../../base/result.ts";
import { systemError } from "./errors.ts";

const objectBytesMax = 16 * 1024 * 1024;
const lookMs = 25;
const pipeLookMs = 2;

export interface InputOptions {
  /** How long to wait for the whole of it, in looks at it and not by the clock: a busy machine's time is over before the first. */
  readonly msMax: number;
  readonly platform: string;
}

/** The error is for a log; it does not quote the input. */
export async function readInputObject({ msMax, platform }: InputOptions): Promise<Result<unknown, string>> {
  const stats = fstatSync(0);
  if (stats.isFile()) return readDescriptor(0, 1);
  if (!stats.isFIFO() || platform !== "linux") return readObject(process.stdin, msMax);
  // Opened again, since the mode of the descriptor that we were given is shared with others.
  const descriptor = openSync("/proc/self/fd/0", constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    return await readDescriptor(descriptor, Math.ceil(msMax / pipeLookMs));
  } finally {
    closeSync(descriptor);
  }
}

async function readDescriptor(descriptor: number, looksMax: number): Promise<Result<unknown, string>> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for (let looks = 0; looks < looksMax; ) {
    const chunk = Buffer.allocUnsafe(chunkBytes);
    const count = readNow(descriptor, chunk);
    if (count === null) {
      looks += 1;
      await new Promise((resolve) => setTimeout(resolve, pipeLookMs));
      continue;
    }
    if (count === 0) break;
    bytes += count;
    chunks.push(chunk.subarray(0, count));
    if (bytes > objectBytesMax) return err(`the input is larger than ${objectBytesMax} bytes`);
    const value = endsObject(chunk.subarray(0, count)) ? parsed(chunks) : undefined;
    if (value !== undefined) return ok(value);
  }
  return err(`the input is no JSON object (${bytes} bytes)`);
}

const chunkBytes = 64 * 1024;

/** Null where nothing is there yet. */
function readNow(descriptor: number, chunk: Buffer): number | null {
  try {
    return readSync(descriptor, chunk, 0, chunk.length, null);
  } catch (cause) {
    if (systemError(cause).code === "EAGAIN") return null;
    throw cause;
  }
}

function readObject(stream: Readable, msMax: number): Promise<Result<unknown, string>> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    let looksLeft = Math.ceil(msMax / lookMs);
    const patience = setInterval(() => {
      looksLeft -= 1;
      if (looksLeft <= 0) settle(err(`no whole object within ${msMax} ms`));
    }, lookMs);
    const settle = (result: Result<unknown, string>): void => {
      clearInterval(patience);
      stream.removeAllListeners();
      stream.on("error", () => undefined);
      stream.pause();
      resolve(result);
    };
    stream.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > objectBytesMax) return settle(err(`the input is larger than ${objectBytesMax} bytes`));
      if (!endsObject(chunk)) return;
      const value = parsed(chunks);
      if (value !== undefined) settle(ok(value));
    });
    stream.on("end", () => {
      const value = parsed(chunks);
      settle(value === undefined ? err(`the input is no JSON object (${bytes} bytes)`) : ok(value));
    });
    stream.on("error", (error) => settle(err(`the input cannot be read: ${error.message}`)));
  });
}

/** Only then is it worth parsing what is there. */
function endsObject(chunk: Buffer): boolean {
  return /\}\s*$/.test(chunk.subarray(-64).toString("latin1"));
}

function parsed(chunks: readonly Buffer[]): object | undefined {
  try {
    const value: unknown = JSON.parse(
      Buffer.concat(chunks)
        .toString("utf8")
        .replace(/^\ufeff/, ""),
    );
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
