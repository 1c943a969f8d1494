// The lines of a session's file themselves, for who needs more than their fold. Invariant: what is no line of ours is passed over.

import { ok, type Result } from "../../base/result.ts";
import type { FileError } from "../../host/files.ts";
import { decodeLine, type Line, lineBytesMax } from "./line.ts";
import { eventsPath, type SessionFiles } from "./session-file.ts";

/** Of a longer file its end is read. */
const readBytesMax = 32 * 1024 * 1024;
const newline = 0x0a;

/** Oldest first. */
export async function sessionLines(
  files: SessionFiles,
  directory: string,
): Promise<Result<readonly Line[], FileError>> {
  const opened = await files.open(eventsPath(directory), "read");
  if (!opened.ok) return opened;
  const size = await opened.value.size();
  const from = size.ok ? Math.max(0, size.value - readBytesMax) : 0;
  const bytes = size.ok ? await opened.value.read(from, size.value - from) : size;
  await opened.value.close();
  if (!bytes.ok) return bytes;
  const lines: Line[] = [];
  for (let at = 0; at < bytes.value.length; ) {
    const stop = bytes.value.indexOf(newline, at);
    // What is not whole yet is not a line.
    if (stop < 0) break;
    const line = stop - at > lineBytesMax || stop === at ? null : decodeLine(textOf(bytes.value.subarray(at, stop)));
    if (line !== null) lines.push(line);
    at = stop + 1;
  }
  return ok(lines);
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
}
