// Reading and writing whole regular files; pipes, sockets and devices are refused because they may never end.

import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { ok, type Result } from "../../base/result.ts";
import type { FileError, FileResult, MakeOptions } from "../../host/files.ts";
import { attempt, fileFault } from "./errors.ts";
import { executableMode, fileMode } from "./mode.ts";

const { O_RDONLY, O_WRONLY, O_CREAT, O_TRUNC, O_NONBLOCK } = constants;

/** First buffer for a file whose size says 0 but which has content, as those under /proc. */
const bufferBytesMin = 4096;

export function readWhole(path: string, bytesMax: number): FileResult<Uint8Array> {
  return withRegularFile(path, { flags: O_RDONLY, mode: 0 }, async (handle, size) => {
    const tooLarge = fileFault(path, "too-large", `larger than ${bytesMax} bytes`);
    if (size > bytesMax) return tooLarge;
    let bytes = new Uint8Array(Math.max(size + 1, bufferBytesMin));
    let filled = 0;
    while (true) {
      const { bytesRead } = await handle.read(bytes, filled, bytes.length - filled, filled);
      if (bytesRead === 0) return ok(bytes.slice(0, filled));
      filled += bytesRead;
      if (filled > bytesMax) return tooLarge;
      if (filled === bytes.length) bytes = grown(bytes);
    }
  });
}

export function writeWhole(
  path: string,
  bytes: Uint8Array,
  options?: MakeOptions & { readonly executable?: boolean },
): FileResult<void> {
  const how = { flags: O_WRONLY | O_CREAT | O_TRUNC, mode: fileMode(options) };
  return withRegularFile(path, how, async (handle) => {
    // Loops over short writes by itself.
    await handle.writeFile(bytes);
    if (options?.executable !== undefined) {
      const { mode } = await handle.stat();
      await handle.chmod(executableMode(mode, options.executable));
    }
    return ok(undefined);
  });
}

async function withRegularFile<T>(
  path: string,
  { flags, mode }: { readonly flags: number; readonly mode: number },
  work: (handle: FileHandle, size: number) => Promise<Result<T, FileError>>,
): FileResult<T> {
  const result = await attempt(path, async () => {
    const handle = await open(path, flags | O_NONBLOCK, mode);
    try {
      const stats = await handle.stat();
      if (stats.isDirectory()) return fileFault(path, "is-directory", "EISDIR: is a directory");
      if (!stats.isFile()) return fileFault(path, "other", "not a regular file");
      return await work(handle, stats.size);
    } finally {
      await handle.close();
    }
  });
  return result.ok ? result.value : result;
}

function grown(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(bytes.length * 2);
  larger.set(bytes);
  return larger;
}
