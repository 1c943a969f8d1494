// Reads durable records and blobs back from the segments. Every byte is checked again: a disk may have gone bad since.
// A segment may move into other files meanwhile; whoever reads finds it there, at the same positions.

import { assert } from "../../base/assert.ts";
import { asPosition, type BlobId, type Position } from "../../base/ids.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { isBlobOf } from "../blob-id.ts";
import type { BlobError, StoredRecord } from "../log.ts";
import { decodeRecord } from "../record-codec.ts";
import type { BlobIndex } from "./blob-index.ts";
import type { StoredPlace } from "./blob-table.ts";
import type { BlockCache } from "./block-cache.ts";
import { ByteWindow } from "./byte-window.ts";
import type { FramePieces } from "./frame-pieces.ts";
import type { HandlePool } from "./handle-pool.ts";
import type { ReadAhead } from "./read-ahead.ts";
import type { RecentReads } from "./recent-reads.ts";
import type { Segment } from "./segment.ts";
import { type Cursor, type Frame, type WalkEvent, walkFrames } from "./walk.ts";

export interface LogSource {
  /** By number. */
  readonly segments: readonly Segment[];
  readonly index: BlobIndex;
  readonly pool: HandlePool;
  readonly blocks: BlockCache;
  readonly ahead: ReadAhead;
  /** Of the one who writes: what it has just written, so that reading it costs no way to the disk. */
  readonly pieces: Pick<FramePieces, "recent"> | null;
  readonly reads: RecentReads;
  readonly chunkBytes: number;
}

/** Openings of one segment or blob that fail because its files are being replaced. */
const movesMax = 3;

/**
 * Records from `from` to the durable end at the time of this call.
 * The iteration throws where the disk fails or holds other bytes than when the log was opened: nothing can go on from there.
 */
export function readRecords(source: LogSource, from: Position): AsyncIterable<StoredRecord> {
  const end = source.segments.at(-1)?.end.position ?? 0;
  return recordsOf(source, from, asPosition(end));
}

/** At most one read of the disk. The bytes are checked against the id, which proves more than a checksum: that these are the bytes asked for. */
export async function readBlob(source: LogSource, id: BlobId): Promise<Result<Uint8Array, BlobError>> {
  for (let move = 0; ; move += 1) {
    const place = source.index.get(id);
    if (place === null) return err({ kind: "missing", id });
    if (place.kind === "waiting") return ok(new Uint8Array(place.bytes));
    const kept = source.reads.get(id);
    if (kept !== null) return ok(kept);
    const segment = source.segments[place.segment];
    assert(segment !== undefined, "a blob is in a segment of its log");
    const { edition } = segment;
    const read = await readPlace(source, segment, place);
    if (read.ok && isBlobOf(id, read.value)) {
      source.reads.add(id, read.value);
      return read;
    }
    // Its segment was sealed or collected while it was read: it is somewhere else now, or gone.
    if (segment.edition !== edition && move < movesMax) continue;
    const message = read.ok ? `${whereOf(segment, place)}: the bytes do not match their id` : read.error;
    return err({ kind: "damaged", id, message });
  }
}

async function readPlace(source: LogSource, segment: Segment, place: StoredPlace): Promise<Result<Uint8Array, string>> {
  const { form, number } = segment;
  const { offset, length } = place;
  if (form.kind === "sealed") {
    const file = { path: form.blobsPath, segment: number, edition: form.edition };
    const read = await source.blocks.read(file, offset, length);
    return read.ok ? read : err(`${form.blobsPath} at byte ${read.error.offset}: ${read.error.message}`);
  }
  const recent = source.pieces?.recent(number, offset, length) ?? null;
  if (recent !== null) return ok(recent);
  const bytes = await source.ahead.read(segment.path, offset, length, segment.end.offset);
  return bytes.ok ? bytes : err(`${whereOf(segment, place)}: ${bytes.error.message}`);
}

function whereOf(segment: Segment, { offset }: StoredPlace): string {
  return segment.form.kind === "plain"
    ? `${segment.path} at byte ${offset}`
    : `${segment.form.blobsPath}, blob at ${offset}`;
}

async function* recordsOf(source: LogSource, from: Position, end: Position): AsyncGenerator<StoredRecord> {
  let position = from;
  const first = source.segments.findLastIndex((segment) => segment.start.position <= from);
  for (let number = Math.max(0, first); position < end && number < source.segments.length; number += 1) {
    const segment = source.segments[number];
    if (segment === undefined || segment.isEmpty || segment.end.position <= position) continue;
    const opened = await openSegment(source, segment);
    try {
      // Taken together with the handle: should the segment move now, this file still has these places.
      const { path, endOffset } = opened;
      const start = segment.markBefore(position);
      const window = new ByteWindow(opened.handle, endOffset, source.chunkBytes);
      for await (const event of walkFrames(window, segment.seed, start)) {
        for (const frame of framesOf(event, path, endOffset)) {
          for (const record of recordsOfFrame(path, frame, position, end)) {
            position = asPosition(record.position + 1);
            yield record;
          }
        }
        if (position >= end) return;
      }
    } finally {
      source.pool.release(opened.path);
    }
  }
}

async function openSegment(source: LogSource, segment: Segment) {
  for (let move = 0; ; move += 1) {
    const { path } = segment;
    const handle = await source.pool.acquire(path);
    if (handle.ok && segment.path === path) {
      return { handle: handle.value, path, endOffset: segment.end.offset };
    }
    source.pool.release(path);
    if (segment.path !== path && move < movesMax) continue;
    const reason = handle.ok ? "it is being replaced" : handle.error.message;
    throw new Error(`cannot read the log: ${path}: ${reason}`);
  }
}

function framesOf(event: WalkEvent, path: string, endOffset: number): readonly Frame[] {
  switch (event.kind) {
    case "frames":
      return event.frames;
    case "end":
      // A file that was cut short under us ends too early.
      if (event.at.offset === endOffset) return [];
      throw damage(path, event.at, "the file has become shorter");
    case "broken":
    case "misplaced":
      throw damage(path, event.at, event.reason);
    case "failed":
      throw new Error(`cannot read the log: ${path}: ${event.error.message}`);
  }
}

function* recordsOfFrame(path: string, frame: Frame, from: Position, end: Position): Generator<StoredRecord> {
  const first = frame.header.firstPosition;
  for (const [index, bytes] of frame.records.entries()) {
    const position = first + index;
    if (position < from || position >= end) continue;
    const record = decodeRecord(bytes, asPosition(position));
    if (record === null) throw damage(path, { ...frame.next, offset: frame.offset, position }, "no record");
    yield record;
  }
}

function damage(path: string, at: Cursor, reason: string): Error {
  return new Error(`the log is damaged: ${path} at byte ${at.offset} (record ${at.position}): ${reason}`);
}
