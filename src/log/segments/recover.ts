// Reads a whole log once and finds what is in it: its segments, its blobs, its end, and a torn tail if a crash left one.
// Changes nothing. Everything but the tail must be whole and in order, else the log is damaged and says where.

import { asPosition } from "../../base/ids.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { FileError, FileHandle, Files } from "../../host/files.ts";
import type { OpenError } from "../log.ts";
import { BlobIndex } from "./blob-index.ts";
import { ByteWindow } from "./byte-window.ts";
import { Segment } from "./segment.ts";
import { listSegments, type SegmentName, segmentPath } from "./segment-files.ts";
import { decodeSegmentHeader, type HeaderVerdict, type SegmentHeader, segmentHeaderBytes } from "./segment-header.ts";
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
  readonly tail: TornTail | null;
}

interface Progress {
  readonly files: Files;
  readonly directory: string;
  readonly chunkBytes: number;
  readonly segments: Segment[];
  readonly index: BlobIndex;
  logId: string | null;
  tail: TornTail | null;
}

export async function recover(
  files: Files,
  directory: string,
  chunkBytes: number,
): Promise<Result<Recovered, OpenError>> {
  const names = await listSegments(files, directory);
  if (!names.ok) return err(ioError(names.error));
  const index = new BlobIndex();
  const progress: Progress = { files, directory, chunkBytes, segments: [], index, logId: null, tail: null };
  for (const name of names.value) {
    const read = await readSegment(progress, name, name === names.value.at(-1));
    if (!read.ok) return read;
  }
  return ok(progress);
}

/** An error of the file system while a log is opened. */
export function ioError(error: FileError): OpenError {
  return { kind: "io", message: `${error.path}: ${error.message} (${error.code})` };
}

async function readSegment(progress: Progress, name: SegmentName, isLast: boolean): Promise<Result<void, OpenError>> {
  const expected = expectedHeader(progress);
  const path = segmentPath(progress.directory, expected.firstPosition, expected.number);
  if (name.path !== path) return damaged(path, 0, expected.firstPosition, "this segment is missing");
  const opened = await progress.files.open(path, "read");
  if (!opened.ok) return err(ioError(opened.error));
  const handle = opened.value;
  try {
    return await readOpened(progress, path, handle, isLast);
  } finally {
    await handle.close();
  }
}

async function readOpened(
  progress: Progress,
  path: string,
  handle: FileHandle,
  isLast: boolean,
): Promise<Result<void, OpenError>> {
  const size = await handle.size();
  if (!size.ok) return err(ioError(size.error));
  const window = new ByteWindow(handle, size.value, progress.chunkBytes);
  const first = await window.load(0, segmentHeaderBytes);
  if (!first.ok) return err(ioError(first.error));

  const expected = expectedHeader(progress);
  const verdict = decodeSegmentHeader(first.value.subarray(0, segmentHeaderBytes));
  if (verdict.kind === "newer") {
    return err({ kind: "newer", file: path, message: `format version ${verdict.version} is newer than this program` });
  }
  // A segment gets frames only once its header is durable: a bad header with nothing below it was never finished.
  if (verdict.kind === "bad" && isLast && size.value <= segmentHeaderBytes) {
    progress.tail = { kind: "file", file: path, offset: 0, bytes: size.value };
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

async function walkSegment(
  progress: Progress,
  segment: Segment,
  window: ByteWindow,
  isLast: boolean,
): Promise<Result<void, OpenError>> {
  for await (const event of walkFrames(window, segment.seed, segment.start)) {
    switch (event.kind) {
      case "frames":
        for (const frame of event.frames) {
          progress.index.addStored(segment, frame);
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

function damaged(file: string, offset: number, position: number, message: string): Result<void, OpenError> {
  return err({ kind: "damaged", file, offset, position: asPosition(position), message });
}
