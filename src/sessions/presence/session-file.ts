// A session's directory: `events.jsonl`, which only its own processes append to, and `summary.json`, a cache of the fold up to a byte
// offset. Invariant: the lines are the truth; a summary that does not fit them is not used, and losing it costs only time.

import { ok, type Result } from "../../base/result.ts";
import type { FileError, FileHandle, Files } from "../../host/files.ts";
import { applyLine, emptyFold, type Fold, foldVersion } from "./fold.ts";
import { isFold, isNatural } from "./fold-check.ts";
import { decodeLine, encodeLine, lineBytesMax, type NewLine } from "./line.ts";

export type SessionFiles = Pick<
  Files,
  "open" | "read" | "write" | "rename" | "remove" | "makeDirectory" | "list" | "stat" | "realPath"
>;

export interface ReadSession {
  readonly fold: Fold;
  /** Bytes of whole lines that the fold holds. */
  readonly offset: number;
  /** Of them, those that the summary had. */
  readonly summarized: number;
}

const eventsName = "events.jsonl";
const summaryName = "summary.json";

const summaryBytesMax = 512 * 1024;
/** A file that grew beyond it is read from there on: some 100,000 events later than its summary. */
const tailBytesMax = 32 * 1024 * 1024;
/** A tail that is longer makes the next writer renew the summary. */
const summaryLagBytesMax = 1024;

export const nothingRead: ReadSession = { fold: emptyFold, offset: 0, summarized: 0 };

/** The file that a session's lines are in. */
export function eventsPath(directory: string): string {
  return `${directory}/${eventsName}`;
}

/** A session without a file has an empty fold. */
export async function readSession(files: SessionFiles, directory: string): Promise<Result<ReadSession, FileError>> {
  const opened = await files.open(`${directory}/${eventsName}`, "read");
  if (!opened.ok) return isMissing(opened.error) ? ok(nothingRead) : opened;
  try {
    const size = await opened.value.size();
    if (!size.ok) return size;
    const summary = await readSummary(files, directory);
    const start = summary !== null && summary.offset <= size.value ? summary : nothingRead;
    // One byte before the offset ends a line, or the summary belongs to another file.
    const from = Math.max(start.offset, size.value - tailBytesMax, 1) - 1;
    const bytes = await opened.value.read(from, size.value - from);
    if (!bytes.ok) return bytes;
    if (start.offset > 0 && bytes.value[0] !== newline) return readWhole(opened.value, size.value);
    const skipped = start.offset > 0 ? 1 : 0;
    return ok(foldTail(start, bytes.value.subarray(skipped), from + skipped));
  } finally {
    await opened.value.close();
  }
}

/** What was appended since. A file that is another by now is read anew. */
export async function readOn(
  files: SessionFiles,
  directory: string,
  before: ReadSession,
): Promise<Result<ReadSession, FileError>> {
  if (before.offset === 0) return readSession(files, directory);
  const opened = await files.open(eventsPath(directory), "read");
  if (!opened.ok) return isMissing(opened.error) ? ok(nothingRead) : opened;
  const tail = await tailSince(opened.value, before.offset);
  await opened.value.close();
  if (!tail.ok) return tail;
  return tail.value === null ? readSession(files, directory) : ok(foldTail(before, tail.value, before.offset));
}

/** Null where a line does not begin there: the file is not the one that was read before. */
async function tailSince(handle: FileHandle, offset: number): Promise<Result<Uint8Array | null, FileError>> {
  const size = await handle.size();
  if (!size.ok) return size;
  if (size.value < offset || size.value - offset > tailBytesMax) return ok(null);
  const bytes = await handle.read(offset - 1, size.value - offset + 1);
  if (!bytes.ok) return bytes;
  return ok(bytes.value[0] === newline ? bytes.value.subarray(1) : null);
}

async function readWhole(handle: Pick<FileHandle, "read">, size: number): Promise<Result<ReadSession, FileError>> {
  const from = Math.max(0, size - tailBytesMax);
  const bytes = await handle.read(from, size - from);
  return bytes.ok ? ok(foldTail(nothingRead, bytes.value, from)) : bytes;
}

const newline = 0x0a;

function foldTail(start: ReadSession, bytes: Uint8Array, from: number): ReadSession {
  let { fold } = start;
  const end = bytes.lastIndexOf(newline) + 1;
  for (let at = 0; at < end; ) {
    const stop = bytes.indexOf(newline, at);
    // An empty line is what a writer puts after a torn one.
    if (stop > at) fold = withLine(fold, bytes.subarray(at, stop));
    at = stop + 1;
  }
  return { fold: { ...fold, whole: end === bytes.length }, offset: from + end, summarized: start.summarized };
}

function withLine(fold: Fold, bytes: Uint8Array): Fold {
  const line = bytes.length > lineBytesMax ? null : decodeLine(Buffer.from(bytes).toString("utf8"));
  return line === null ? { ...fold, unread: fold.unread + 1 } : applyLine(fold, line);
}

async function readSummary(files: SessionFiles, directory: string): Promise<ReadSession | null> {
  const bytes = await files.read(`${directory}/${summaryName}`, summaryBytesMax);
  if (!bytes.ok) return null;
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(bytes.value).toString("utf8"));
  } catch {
    return null;
  }
  if (!isSummary(value)) return null;
  return { fold: value.fold, offset: value.offset, summarized: value.offset };
}

interface Summary {
  readonly offset: number;
  readonly fold: Fold;
}

function isSummary(value: unknown): value is Summary {
  if (typeof value !== "object" || value === null || !("v" in value) || value.v !== foldVersion) return false;
  return "offset" in value && isNatural(value.offset) && "fold" in value && isFold(value.fold);
}

/** Appends with one write, and makes the directory where it is missing. A line that is torn before it is closed first. */
export async function appendLine(
  files: SessionFiles,
  directory: string,
  line: NewLine,
  before: ReadSession,
): Promise<Result<void, FileError>> {
  const encoded = encodeLine(line);
  const bytes = before.fold.whole ? encoded : Uint8Array.of(newline, ...encoded);
  const path = `${directory}/${eventsName}`;
  let opened = await files.open(path, "append", { private: true });
  if (!opened.ok && isMissing(opened.error)) {
    const made = await files.makeDirectory(directory, { private: true });
    if (!made.ok) return made;
    opened = await files.open(path, "append", { private: true });
  }
  if (!opened.ok) return opened;
  const appended = await opened.value.append([bytes]);
  const closed = await opened.value.close();
  return appended.ok ? closed : appended;
}

/** True where readers have to fold so much that the summary should be renewed. */
export function isLagging({ offset, summarized }: ReadSession): boolean {
  return offset - summarized > summaryLagBytesMax;
}

/** Replaces the summary whole. `unique` tells this writer from another at the same moment. */
export async function writeSummary(
  files: SessionFiles,
  directory: string,
  { fold, offset }: ReadSession,
  unique: string,
): Promise<Result<void, FileError>> {
  const temporary = `${directory}/.summary-${unique}`;
  const bytes = new TextEncoder().encode(JSON.stringify({ v: foldVersion, offset, fold: { ...fold, whole: true } }));
  const written = await files.write(temporary, bytes, { private: true });
  const renamed = written.ok ? await files.rename(temporary, `${directory}/${summaryName}`) : written;
  if (!renamed.ok) await files.remove(temporary);
  return renamed;
}

function isMissing({ code }: FileError): boolean {
  return code === "not-found" || code === "not-directory";
}
