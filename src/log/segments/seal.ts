// Takes a full segment apart: its records stay as frames, its blobs are compressed into a file of their own. Both are
// durable before they get their names, and the old file goes only when the names are durable too.

import type { BlobId } from "../../base/ids.ts";
import { ok } from "../../base/result.ts";
import type { FileError, FileHandle, FileResult, Files } from "../../host/files.ts";
import type { BlobIndex } from "./blob-index.ts";
import { ByteWindow } from "./byte-window.ts";
import { draftFrame, finishFrame } from "./frame.ts";
import type { SealedDirectory } from "./sealed-blobs.ts";
import { readBlock, readDirectory } from "./sealed-file.ts";
import { SealedWriter } from "./sealed-writer.ts";
import { markBytesStep, type Segment, type SegmentExtent } from "./segment.ts";
import { blobsPath, eventsPath, segmentsDirectory } from "./segment-files.ts";
import { encodeSegmentHeader, segmentHeaderBytes } from "./segment-header.ts";
import { type Cursor, type Frame, walkFrames } from "./walk.ts";

export interface SealTarget {
  readonly files: Files;
  readonly directory: string;
  readonly logId: string;
  readonly index: BlobIndex;
  readonly chunkBytes: number;
}

/** What the log knows of the segment is changed in one step, between two awaits, once the new files are durable. */
export async function sealSegment(target: SealTarget, segment: Segment): FileResult<void> {
  const { files, directory, logId, index } = target;
  const { number, path: oldPath } = segment;
  const first = segment.start.position;
  const events = eventsPath(directory, first, number);
  const blobs = blobsPath(directory, first, number, 1);
  const identity = { logId, segment: number, edition: 1 };
  const made = await SealedWriter.create(files, blobs, identity);
  if (!made.ok) return made;
  const writer = made.value;
  const split = await splitSegment(target, segment, { events, writer });
  if (!split.ok) {
    await writer.discard();
    await files.remove(temporary(events));
    return split;
  }
  const extent = split.value;
  for (const step of [
    () => writer.finish(extent),
    () => files.rename(temporary(blobs), blobs),
    () => files.rename(temporary(events), events),
    () => files.syncDirectory(segmentsDirectory(directory)),
  ]) {
    const done = await step();
    if (!done.ok) return done;
  }
  for (const { id, offset } of writer.blobs) index.move(id, number, offset);
  segment.become(events, { kind: "sealed", edition: 1, blobsPath: blobs }, extent);
  // Best effort: an opener removes what is left.
  await files.remove(oldPath);
  return files.syncDirectory(segmentsDirectory(directory));
}

/** Writes a sealed segment's blobs anew, without those that the index has no more; nothing changes where it has them all. */
export async function collectSegment(target: SealTarget, segment: Segment): FileResult<void> {
  const { files, directory, logId, index } = target;
  const { form, number } = segment;
  if (form.kind === "plain") return ok(undefined);
  const old = await readDirectory(files, form.blobsPath, { logId, segment: number, edition: form.edition });
  if (!old.ok) return fileError(form.blobsPath, old.error.message);
  const isThere = (id: BlobId): boolean => isIn(index, id, number);
  if (old.value.blobs.every(({ id }) => isThere(id))) return ok(undefined);
  const edition = form.edition + 1;
  const path = blobsPath(directory, segment.start.position, number, edition);
  const made = await SealedWriter.create(files, path, { logId, segment: number, edition });
  if (!made.ok) return made;
  const writer = made.value;
  const opened = await files.open(form.blobsPath, "read");
  if (!opened.ok) return opened;
  const copied = await copyBlobs(writer, opened.value, { path: form.blobsPath, directory: old.value, isThere });
  await opened.value.close();
  const finished = copied.ok ? await writer.finish(segment.extent) : copied;
  if (!finished.ok) {
    await writer.discard();
    return finished;
  }
  for (const step of [
    () => files.rename(temporary(path), path),
    () => files.syncDirectory(segmentsDirectory(directory)),
  ]) {
    const done = await step();
    if (!done.ok) return done;
  }
  for (const { id, offset } of writer.blobs) index.move(id, number, offset);
  segment.become(segment.path, { kind: "sealed", edition, blobsPath: path }, segment.extent);
  await files.remove(form.blobsPath);
  return files.syncDirectory(segmentsDirectory(directory));
}

export const temporary = (path: string): string => `${path}.tmp`;

interface Parts {
  readonly events: string;
  readonly writer: SealedWriter;
}

async function splitSegment(target: SealTarget, segment: Segment, parts: Parts): FileResult<SegmentExtent> {
  const { files, logId } = target;
  const path = temporary(parts.events);
  const removed = await files.remove(path);
  if (!removed.ok) return removed;
  const source = await files.open(segment.path, "read");
  if (!source.ok) return source;
  const created = await files.open(path, "create");
  if (!created.ok) {
    await source.value.close();
    return created;
  }
  const events = new EventsWriter(created.value, segment, logId);
  const split = await splitFrames(target, segment, { source: source.value, events, writer: parts.writer });
  const finished = split.ok ? await events.finish() : split;
  await source.value.close();
  await created.value.close();
  return finished.ok ? ok(events.extent) : finished;
}

interface Splitting {
  readonly source: FileHandle;
  readonly events: EventsWriter;
  readonly writer: SealedWriter;
}

async function splitFrames(
  { index, chunkBytes }: SealTarget,
  segment: Segment,
  { source, events, writer }: Splitting,
): FileResult<void> {
  const window = new ByteWindow(source, segment.end.offset, chunkBytes);
  for await (const event of walkFrames(window, segment.seed, segment.start)) {
    if (event.kind === "end") return ok(undefined);
    if (event.kind === "failed") return { ok: false, error: event.error };
    if (event.kind !== "frames") return fileError(segment.path, `byte ${event.at.offset}: ${event.reason}`);
    for (const frame of event.frames) {
      events.add(frame);
      for (const { id, offset, length } of frame.blobs) {
        if (!isIn(index, id, segment.number)) continue;
        const bytes = window.peek(frame.payloadOffset + offset, length);
        if (bytes === null) return fileError(segment.path, "a blob is not where its frame is");
        const added = await writer.add(id, bytes);
        if (!added.ok) return added;
      }
    }
    const flushed = await events.flush();
    if (!flushed.ok) return flushed;
  }
  return ok(undefined);
}

/** The frames of a segment without their blobs: same numbers, same positions, other places. */
class EventsWriter {
  readonly #handle: FileHandle;
  readonly #segment: Segment;
  readonly #marks: Cursor[];
  #waiting: Buffer[];
  #end: Cursor;

  constructor(handle: FileHandle, segment: Segment, logId: string) {
    const { number, start, seed } = segment;
    const header = { logId, number, firstPosition: start.position, firstSequence: start.sequence };
    const encoded = encodeSegmentHeader(header);
    this.#handle = handle;
    this.#segment = segment;
    this.#waiting = [encoded.bytes];
    this.#end = { ...start, offset: segmentHeaderBytes };
    this.#marks = [this.#end];
    if (encoded.seed !== seed) throw new Error("assertion failed: a segment's header gives its seed");
  }

  get extent(): SegmentExtent {
    return { marks: this.#marks, end: this.#end };
  }

  add({ records, header, next }: Frame): void {
    const bytes = records.reduce((sum, record) => sum + 4 + record.length, 0);
    const draft = draftFrame({ records, blobs: [], bytes });
    const { sequence, durableSequence, firstPosition } = header;
    const frame = finishFrame(draft, { sequence, durableSequence, firstPosition, seed: this.#segment.seed });
    this.#waiting.push(frame);
    this.#end = { ...next, offset: this.#end.offset + frame.length };
    const last = this.#marks.at(-1);
    if (last !== undefined && this.#end.offset - last.offset >= markBytesStep) this.#marks.push(this.#end);
  }

  async flush(): FileResult<void> {
    const chunks = this.#waiting;
    this.#waiting = [];
    return this.#handle.append(chunks);
  }

  async finish(): FileResult<void> {
    const flushed = await this.flush();
    return flushed.ok ? this.#handle.sync() : flushed;
  }
}

interface OldBlobs {
  readonly path: string;
  readonly directory: SealedDirectory;
  readonly isThere: (id: BlobId) => boolean;
}

async function copyBlobs(
  writer: SealedWriter,
  handle: FileHandle,
  { path, directory, isThere }: OldBlobs,
): FileResult<void> {
  let next = 0;
  for (const block of directory.blocks) {
    const raw = await readBlock(handle, block);
    if (!raw.ok) return fileError(path, `byte ${raw.error.offset}: ${raw.error.message}`);
    const end = block.offset + block.length;
    for (let blob = directory.blobs[next]; blob !== undefined && blob.offset + blob.length <= end; ) {
      const from = blob.offset - block.offset;
      const added = isThere(blob.id)
        ? await writer.add(blob.id, raw.value.subarray(from, from + blob.length))
        : ok(undefined);
      if (!added.ok) return added;
      next += 1;
      blob = directory.blobs[next];
    }
  }
  for (const blob of directory.blobs.slice(next)) {
    const added = isThere(blob.id) ? await writer.add(blob.id, Buffer.alloc(0)) : ok(undefined);
    if (!added.ok) return added;
  }
  return ok(undefined);
}

function isIn(index: BlobIndex, id: BlobId, segment: number): boolean {
  const place = index.get(id);
  return place?.kind === "stored" && place.segment === segment;
}

function fileError(path: string, message: string): { readonly ok: false; readonly error: FileError } {
  return { ok: false, error: { kind: "file", code: "io", path, message } };
}
