// `log.json` in a log's directory: which log it is, and how many segments it has begun at least. There as soon as the first segment
// is, so that a directory whose segments are gone never passes for a new one.

import { join } from "node:path";
import { natural, object, type Parsed, parse, text } from "../../base/parse.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { FileResult, Files } from "../../host/files.ts";

const file = object({ log: text(64), segments: natural() });

export type LogFile = Parsed<typeof file>;

/** The disk refused, or the file is none of ours. */
export interface LogFileError {
  readonly kind: "io" | "damaged";
  readonly message: string;
}

const fileBytesMax = 4 * 1024;

export const logFilePath = (directory: string): string => join(directory, "log.json");

/** Null where there is none: a new log, or one from before the file was. */
export async function readLogFile(files: Files, directory: string): Promise<Result<LogFile | null, LogFileError>> {
  const bytes = await files.read(logFilePath(directory), fileBytesMax);
  if (!bytes.ok) {
    const { code, message } = bytes.error;
    return code === "not-found" ? ok(null) : err({ kind: "io", message });
  }
  try {
    const parsed = parse(file, JSON.parse(new TextDecoder().decode(bytes.value)), "log.json");
    return parsed.ok ? parsed : err({ kind: "damaged", message: parsed.error.message });
  } catch {
    return err({ kind: "damaged", message: "it is no JSON" });
  }
}

/** Replaces the file as a whole; durable, with its name, when it answers. */
export async function writeLogFile(files: Files, directory: string, content: LogFile): FileResult<void> {
  const fresh = `${logFilePath(directory)}.new`;
  const removed = await files.remove(fresh);
  if (!removed.ok) return removed;
  const created = await files.open(fresh, "create", { private: true });
  if (!created.ok) return created;
  const appended = await created.value.append([Buffer.from(`${JSON.stringify(content)}\n`)]);
  const synced = appended.ok ? await created.value.sync() : appended;
  await created.value.close();
  const renamed = synced.ok ? await files.rename(fresh, logFilePath(directory)) : synced;
  if (renamed.ok) return files.syncDirectory(directory);
  await files.remove(fresh);
  return renamed;
}
