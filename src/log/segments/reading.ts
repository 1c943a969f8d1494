// Reads durable records and blobs back from the segments. Every byte is checked again: a disk may have gone bad since.

import { asPosition, type BlobId, type Position } from "../../base/ids.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { isBlobOf } from "../blob-id.ts";
import type { BlobError, StoredRecord } from "../log.ts";
import { decodeRecord } from "../record-codec.ts";
import type { BlobIndex } from "./blob-index.ts";
import { ByteWindow } from "./byte-window.ts";
import type { HandlePool } from "./handle-pool.ts";
import type { Segment } from "./segment.ts";
import { type Cursor, type Frame, type WalkEvent, walkFrames } from "./walk.ts";

export interface LogSource {
  readonly segments: readonly Segment[];
  readonly index: BlobIndex;
  readonly pool: HandlePool;
  readonly chunkBytes: number;
}

interface Stretch {
  readonly segment: Segment;
  readonly from: Cursor;
  readonly endOffset: number;
}

/**
 * Records from `from` to the durable end at the time of this call.
 * The iteration throws where the disk fails or holds other bytes than when the log was opened: nothing can go on from there.
 */
export function readRecords(source: LogSource, from: Position): AsyncIterable<StoredRecord> {
  const first = Math.max(
    0,
    source.segments.findLastIndex((segment) => segment.start.position <= from),
  );
  const stretches = source.segments
    .slice(first)
    .map((segment) => ({ segment, from: segment.markBefore(from), endOffset: segment.end.offset }));
  return recordsOf(source, stretches, from);
}

/** One read. The bytes are checked against the id, which proves more than a checksum: that these are the bytes asked for. */
export async function readBlob(source: LogSource, id: BlobId): Promise<Result<Uint8Array, BlobError>> {
  const place = source.index.get(id);
  if (place === null) return err({ kind: "missing", id });
  if (place.kind === "waiting") return ok(new Uint8Array(place.bytes));
  const { segment, offset, length } = place;
  const bytes = await source.pool.read(segment.path, offset, length);
  const where = `${segment.path} at byte ${offset}`;
  if (!bytes.ok) return err({ kind: "damaged", id, message: `${where}: ${bytes.error.message}` });
  if (isBlobOf(id, bytes.value)) return ok(bytes.value);
  return err({ kind: "damaged", id, message: `${where}: the bytes do not match their id` });
}

async function* recordsOf(
  source: LogSource,
  stretches: readonly Stretch[],
  from: Position,
): AsyncGenerator<StoredRecord> {
  for (const stretch of stretches) {
    const { segment } = stretch;
    if (stretch.from.offset === stretch.endOffset) continue;
    const handle = await source.pool.acquire(segment.path);
    if (!handle.ok) throw new Error(`cannot read the log: ${segment.path}: ${handle.error.message}`);
    try {
      const window = new ByteWindow(handle.value, stretch.endOffset, source.chunkBytes);
      for await (const event of walkFrames(window, segment.seed, stretch.from)) {
        for (const frame of framesOf(event, stretch)) yield* recordsOfFrame(segment, frame, from);
      }
    } finally {
      source.pool.release(segment.path);
    }
  }
}

function framesOf(event: WalkEvent, { segment, endOffset }: Stretch): readonly Frame[] {
  switch (event.kind) {
    case "frames":
      return event.frames;
    case "end":
      // A file that was cut short under us ends too early.
      if (event.at.offset === endOffset) return [];
      throw damage(segment, event.at, "the file has become shorter");
    case "broken":
    case "misplaced":
      throw damage(segment, event.at, event.reason);
    case "failed":
      throw new Error(`cannot read the log: ${segment.path}: ${event.error.message}`);
  }
}

function* recordsOfFrame(segment: Segment, frame: Frame, from: Position): Generator<StoredRecord> {
  const first = frame.header.firstPosition;
  for (const [index, bytes] of frame.records.entries()) {
    const position = first + index;
    if (position < from) continue;
    const record = decodeRecord(bytes, asPosition(position));
    if (record === null) throw damage(segment, { ...frame.next, offset: frame.offset, position }, "no record");
    yield record;
  }
}

function damage(segment: Segment, at: Cursor, reason: string): Error {
  return new Error(`the log is damaged: ${segment.path} at byte ${at.offset} (record ${at.position}): ${reason}`);
}
