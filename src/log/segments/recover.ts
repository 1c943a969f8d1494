// Finds what is in a log: its segments, its blobs, its end, and a torn tail if a crash left one. From a checkpoint where one
// fits, else by reading everything. Changes nothing. All that is read but the tail must be whole and in order, else the log
// is damaged and says where.

import { unreachable } from "../../base/assert.ts";
import { asPosition } from "../../base/ids.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { FileError, FileHandle, Files } from "../../host/files.ts";
import type { OpenError, SavedFolds } from "../log.ts";
import { BlobIndex } from "./blob-index.ts";
import { ByteWindow } from "./byte-window.ts";
import { type LogFile, logFilePath, readLogFile } from "./log-file.ts";
import { readDirectory } from "./sealed-file.ts";
import { Segment } from "./segment.ts";
import { type FoundForm, listSegments, type SegmentFiles, segmentPath } from "./segment-files.ts";
import { decodeSegmentHeader, type HeaderVerdict, type SegmentHeader, segmentHeaderBytes } from "./segment-header.ts";
import { fromCheckpoint, type Reached } from "./start.ts";
import { findProof } from "./torn-tail.ts";
import { type Cursor, walkFrames } from "./walk.ts";

/** What a crash left of an unfinished write: no part of it was ever acknowledged. */
export interface TornTail {
  readonly file: string;
  readonly offset: number;
  readonly bytes: number;
  /** `file`: the segment itself was never finished and holds nothing else. */
  readonly kind: "frame" | "file";
}

export interface Recovered {
  readonly segments: Segment[];
  readonly index: BlobIndex;
  /** Null while the log has no segment. */
  readonly logId: string | null;
  /** Null where the log has none yet. */
  readonly logFile: LogFile | null;
  readonly tail: TornTail | null;
  readonly saved: SavedFolds | null;
  readonly notes: readonly string[];
  /** Files of no use any more, which the writer removes. */
  readonly leftovers: readonly string[];
}

export interface RecoverOptions {
  readonly chunkBytes: number;
  /** False reads everything from the first record on. */
  readonly checkpoints: boolean;
}

interface Progress {
  readonly files: Files;
  readonly directory: string;
  readonly chunkBytes: number;
  readonly segments: Segment[];
  readonly index: BlobIndex;
  readonly logFile: LogFile | null;
  logId: string | null;
  tail: TornTail | null;
}

export async function recover(
  files: Files,
  directory: string,
  { chunkBytes, checkpoints }: RecoverOptions,
): Promise<Result<Recovered, OpenError>> {
  // Before the segments are listed: while somebody writes, there are then no fewer than it says.
  const said = await readLogFile(files, directory);
  if (!said.ok) return logFileError(directory, said.error);
  const logFile = said.value;
  const listed = await listSegments(files, directory);
  if (!listed.ok) return err(ioError(listed.error));
  const { segments: found, leftovers } = listed.value;
  const start = checkpoints
    ? await fromCheckpoint(files, directory, found)
    : { kind: "empty" as const, notes: [], reached: [] };
  const begun = start.kind === "checkpoint" ? start : { segments: [], index: new BlobIndex(), logId: null };
  const { segments, index, logId } = begun;
  const progress: Progress = { files, directory, chunkBytes, segments, index, logFile, logId, tail: null };
  const last = segments.at(-1);
  if (last !== undefined && last.form.kind === "plain") {
    const read = await readOn(progress, last, last.number === found.at(-1)?.number);
    if (!read.ok) return read;
  }
  for (const each of found.slice(segments.length)) {
    const read = await readSegment(progress, each, each === found.at(-1));
    if (!read.ok) return read;
  }
  const lost = lossOf(progress, start.reached);
  if (lost !== null) return lost;
  const saved = start.kind === "checkpoint" ? start.saved : null;
  return ok({ ...progress, saved, notes: start.notes, leftovers });
}

/** An error of the file system while a log is opened. */
export function ioError(error: FileError): OpenError {
  return { kind: "io", message: `${error.path}: ${error.message} (${error.code})`, code: error.code };
}

function logFileError(
  directory: string,
  { kind, message }: { readonly kind: "io" | "damaged"; readonly message: string },
): Result<never, OpenError> {
  const file = logFilePath(directory);
  return kind === "io" ? err({ kind, message: `${file}: ${message}` }) : damaged(file, 0, 0, message);
}

/** What ends before others say that it was: segments are gone, or the end of the last one. */
function lossOf(
  { directory, segments, logId, logFile }: Progress,
  reached: readonly Reached[],
): Result<never, OpenError> | null {
  const end = segments.at(-1)?.end ?? { position: 0, offset: 0 };
  if (logFile !== null && logId !== null && logFile.log !== logId) {
    return damaged(segments[0]?.path ?? directory, 0, 0, "the segment belongs to another log than log.json says");
  }
  if (logFile !== null && segments.length < logFile.segments) {
    const path = segmentPath(directory, end.position, segments.length);
    return damaged(path, 0, end.position, `this segment is missing: log.json says that there are ${logFile.segments}`);
  }
  const beyond = reached.find((each) => (logId ?? each.logId) === each.logId && each.position > end.position);
  if (beyond === undefined) return null;
  const message = `the log ends here, and ${beyond.path} shows that it reached position ${beyond.position}`;
  return damaged(segments.at(-1)?.path ?? segmentPath(directory, 0, 0), end.offset, end.position, message);
}

/** What came into the checkpoint's last segment after it. */
async function readOn(progress: Progress, segment: Segment, isLast: boolean): Promise<Result<void, OpenError>> {
  return withFile(progress.files, segment.path, async (handle, size) => {
    const window = new ByteWindow(handle, size, progress.chunkBytes);
    return walkSegment(progress, segment, window, isLast);
  });
}

async function readSegment(progress: Progress, found: SegmentFiles, isLast: boolean): Promise<Result<void, OpenError>> {
  const expected = expectedHeader(progress);
  const path = segmentPath(progress.directory, expected.firstPosition, expected.number);
  const { form } = found;
  const fits = found.number === expected.number && found.firstPosition === expected.firstPosition;
  if (form === null || !fits) return damaged(path, 0, expected.firstPosition, "this segment is missing");
  const read = await withFile(progress.files, form.path, (handle, size) =>
    readOpened(progress, form, { handle, size, isLast: isLast && form.kind === "plain" }),
  );
  return read.ok && form.kind === "sealed" ? takeSealed(progress, form) : read;
}

interface OpenedSegment {
  readonly handle: FileHandle;
  readonly size: number;
  readonly isLast: boolean;
}

async function readOpened(
  progress: Progress,
  { path }: FoundForm,
  { handle, size, isLast }: OpenedSegment,
): Promise<Result<void, OpenError>> {
  const window = new ByteWindow(handle, size, progress.chunkBytes);
  const first = await window.load(0, segmentHeaderBytes);
  if (!first.ok) return err(ioError(first.error));

  const expected = expectedHeader(progress);
  const verdict = decodeSegmentHeader(first.value.subarray(0, segmentHeaderBytes));
  if (verdict.kind === "newer") {
    return err({ kind: "newer", file: path, message: `format version ${verdict.version} is newer than this program` });
  }
  // A segment gets frames only once its header is durable: a bad header with nothing below it was never finished.
  const wasBegun = expected.number < (progress.logFile?.segments ?? 0);
  if (verdict.kind === "bad" && isLast && size <= segmentHeaderBytes && !wasBegun) {
    progress.tail = { kind: "file", file: path, offset: 0, bytes: size };
    return ok(undefined);
  }
  const problem = headerProblem(verdict, expected, progress.logId);
  if (verdict.kind === "bad" || problem !== null) return damaged(path, 0, expected.firstPosition, problem ?? "");

  progress.logId = verdict.header.logId;
  const start = { offset: segmentHeaderBytes, sequence: expected.firstSequence, position: expected.firstPosition };
  const segment = new Segment(path, expected.number, verdict.seed, start);
  progress.segments.push(segment);
  return walkSegment(progress, segment, window, isLast);
}

/** The blobs of a sealed segment whose records were read. */
async function takeSealed(
  progress: Progress,
  { path, blobsPath, edition }: Extract<FoundForm, { kind: "sealed" }>,
): Promise<Result<void, OpenError>> {
  const segment = progress.segments.at(-1);
  if (segment === undefined || progress.logId === null) return damaged(path, 0, 0, "a sealed segment has no header");
  const identity = { logId: progress.logId, segment: segment.number, edition };
  const directory = await readDirectory(progress.files, blobsPath, identity);
  if (!directory.ok) {
    const { kind, offset, message } = directory.error;
    if (kind === "io") return err({ kind: "io", message: `${blobsPath}: ${message}` });
    return damaged(blobsPath, offset, segment.start.position, message);
  }
  const { end } = directory.value.extent;
  if (end.offset !== segment.end.offset || end.sequence !== segment.end.sequence) {
    return damaged(path, segment.end.offset, segment.end.position, "the file has become shorter");
  }
  for (const { id, offset, length } of directory.value.blobs) {
    progress.index.add(id, { segment: segment.number, offset, length });
  }
  segment.become(path, { kind: "sealed", edition, blobsPath }, segment.extent);
  return ok(undefined);
}

async function walkSegment(
  progress: Progress,
  segment: Segment,
  window: ByteWindow,
  isLast: boolean,
): Promise<Result<void, OpenError>> {
  for await (const event of walkFrames(window, segment.seed, segment.end)) {
    switch (event.kind) {
      case "frames":
        for (const frame of event.frames) {
          progress.index.addStored(segment.number, frame);
          segment.advance(frame.next);
        }
        break;
      case "end":
        break;
      case "broken":
        if (!isLast) return damagedAt(segment, event.at, event.reason);
        return judgeTail(progress, segment, window, event.at, event.reason);
      case "misplaced":
        return damagedAt(segment, event.at, event.reason);
      case "failed":
        return err(ioError(event.error));
      default:
        unreachable(event);
    }
  }
  return ok(undefined);
}

async function judgeTail(
  progress: Progress,
  segment: Segment,
  window: ByteWindow,
  bad: Cursor,
  reason: string,
): Promise<Result<void, OpenError>> {
  const proof = await findProof(window, segment.seed, bad);
  if (!proof.ok) return err(ioError(proof.error));
  if (proof.value !== null) {
    return damagedAt(
      segment,
      bad,
      `${reason}, and a later one at byte ${proof.value.offset} shows that it was written`,
    );
  }
  progress.tail = { kind: "frame", file: segment.path, offset: bad.offset, bytes: window.end - bad.offset };
  return ok(undefined);
}

async function withFile(
  files: Files,
  path: string,
  work: (handle: FileHandle, size: number) => Promise<Result<void, OpenError>>,
): Promise<Result<void, OpenError>> {
  const opened = await files.open(path, "read");
  if (!opened.ok) return err(ioError(opened.error));
  try {
    const size = await opened.value.size();
    return size.ok ? await work(opened.value, size.value) : err(ioError(size.error));
  } finally {
    await opened.value.close();
  }
}

function expectedHeader(progress: Progress): Omit<SegmentHeader, "logId"> {
  const end = progress.segments.at(-1)?.end;
  return { number: progress.segments.length, firstPosition: end?.position ?? 0, firstSequence: end?.sequence ?? 0 };
}

function headerProblem(
  verdict: Exclude<HeaderVerdict, { readonly kind: "newer" }>,
  expected: Omit<SegmentHeader, "logId">,
  logId: string | null,
): string | null {
  if (verdict.kind === "bad") return verdict.reason;
  const { header } = verdict;
  if (logId !== null && header.logId !== logId) return "the segment belongs to another log";
  if (header.number !== expected.number) return `the header says it is segment ${header.number}`;
  if (header.firstPosition !== expected.firstPosition) return `the header says it begins at ${header.firstPosition}`;
  if (header.firstSequence !== expected.firstSequence)
    return `the header says ${header.firstSequence} frames precede it`;
  return null;
}

function damagedAt(segment: Segment, at: Cursor, reason: string): Result<void, OpenError> {
  return damaged(segment.path, at.offset, at.position, reason);
}

function damaged(file: string, offset: number, position: number, message: string): Result<never, OpenError> {
  return err({ kind: "damaged", file, offset, position: asPosition(position), message });
}
