// Reads every byte of a log from the first on and tells all that is wrong, each fault with its file, byte and position.
// Changes nothing and stops at nothing: a bad segment does not hide the next.

import { asPosition, type BlobId, type Position } from "../../base/ids.ts";
import { ok, type Result } from "../../base/result.ts";
import type { Files } from "../../host/files.ts";
import { isBlobOf } from "../blob-id.ts";
import { LOG_LIMITS } from "../limits.ts";
import { ByteWindow } from "./byte-window.ts";
import { logFilePath, readLogFile } from "./log-file.ts";
import { type StoredDirectory, sealedHeaderBytes, sealedTrailerBytes } from "./sealed-blobs.ts";
import { readBlock, readOpenDirectory } from "./sealed-file.ts";
import { type FoundForm, type Listed, listSegments, type SegmentFiles, segmentPath } from "./segment-files.ts";
import { decodeSegmentHeader, segmentHeaderBytes } from "./segment-header.ts";
import { findProof } from "./torn-tail.ts";
import { type Cursor, type Frame, walkFrames } from "./walk.ts";

export interface LogFault {
  readonly file: string;
  readonly offset: number;
  /** The record there, or the next one where it is a blob's place; null where that is not known. */
  readonly position: Position | null;
  readonly message: string;
}

export interface LogVerdict {
  readonly records: number;
  readonly blobs: number;
  /** Of the files that were read. */
  readonly bytes: number;
  readonly faults: readonly LogFault[];
  /** What is no fault, but good to know: an unfinished write at the end. */
  readonly notes: readonly string[];
  /** Every blob that is there and is what its id says. */
  readonly intact: ReadonlySet<BlobId>;
}

const faultsMax = 1_000;
const notesMax = 1_000;

export async function verifyLog(files: Files, directory: string): Promise<Result<LogVerdict, LogFault>> {
  // Before the segments are listed: while somebody writes, there are then no fewer than it says.
  const said = await readLogFile(files, directory);
  const listed = await listSegments(files, directory);
  if (!listed.ok)
    return { ok: false, error: { file: directory, offset: 0, position: null, message: listed.error.message } };
  const known = said.ok ? said.value : null;
  const check = new Check(files, known?.log ?? null, known?.segments ?? 0);
  if (!said.ok) check.fault(logFilePath(directory), 0, null, said.error.message);
  const { segments } = listed.value;
  let next = 0;
  for (const segment of segments) {
    for (; next < segment.number; next += 1) check.fault(directory, 0, null, `segment ${next} is missing`);
    await check.segment(segment, segment === segments.at(-1));
    next = segment.number + 1;
  }
  for (; next < (known?.segments ?? 0); next += 1) {
    check.fault(directory, 0, null, `segment ${next} is missing: log.json says that there are ${known?.segments}`);
  }
  if (segments.length === 0 && known === null) {
    check.fault(
      segmentPath(directory, 0, 0),
      0,
      null,
      "there is no segment: the log was never begun, or all of it is gone",
    );
  }
  for (const note of notesOn(listed.value)) check.note(note);
  return ok(check.verdict());
}

function notesOn({ leftovers, strays }: Listed): readonly string[] {
  return [
    ...leftovers.map((path) => `${path} is left of work that a crash ended: the next writer removes it`),
    ...strays.map((path) => `${path} is no file of the log`),
  ];
}

class Check {
  readonly #files: Files;
  readonly #faults: LogFault[] = [];
  readonly #notes: string[] = [];
  readonly #intact = new Set<BlobId>();
  #records = 0;
  #bytes = 0;
  #logId: string | null;
  /** So many segments were begun at least, and have their header. */
  readonly #begun: number;
  /** Where the next segment must begin; null after one whose end is not known. */
  #next: { readonly position: number; readonly sequence: number } | null = { position: 0, sequence: 0 };

  constructor(files: Files, logId: string | null, begun: number) {
    this.#files = files;
    this.#logId = logId;
    this.#begun = begun;
  }

  verdict(): LogVerdict {
    return {
      records: this.#records,
      blobs: this.#intact.size,
      bytes: this.#bytes,
      faults: this.#faults,
      notes: this.#notes,
      intact: this.#intact,
    };
  }

  fault(file: string, offset: number, position: number | null, message: string): void {
    if (this.#faults.length >= faultsMax) return;
    this.#faults.push({ file, offset, position: position === null ? null : asPosition(position), message });
  }

  note(text: string): void {
    if (this.#notes.length < notesMax) this.#notes.push(text);
  }

  async segment({ form, firstPosition, number }: SegmentFiles, isLast: boolean): Promise<void> {
    if (form === null) return this.fault(`segment ${number}`, 0, firstPosition, "a file of this segment is missing");
    const opened = await this.#files.open(form.path, "read");
    if (!opened.ok) return this.fault(form.path, 0, firstPosition, opened.error.message);
    try {
      const size = await opened.value.size();
      if (!size.ok) return this.fault(form.path, 0, firstPosition, size.error.message);
      this.#bytes += size.value;
      const window = new ByteWindow(opened.value, size.value, LOG_LIMITS.chunkBytes);
      await this.#frames(form, window, { number, firstPosition, isLast });
    } finally {
      await opened.value.close();
    }
    if (form.kind === "sealed") await this.#sealed(form, number, firstPosition);
  }

  async #frames(
    form: FoundForm,
    window: ByteWindow,
    place: { readonly number: number; readonly firstPosition: number; readonly isLast: boolean },
  ): Promise<void> {
    const { number, firstPosition, isLast } = place;
    const first = await window.load(0, segmentHeaderBytes);
    const verdict = decodeSegmentHeader(first.ok ? first.value.subarray(0, segmentHeaderBytes) : Buffer.alloc(0));
    const next = this.#next;
    this.#next = null;
    if (verdict.kind === "bad" && isLast && window.end <= segmentHeaderBytes && number >= this.#begun) {
      this.#notes.push(`${form.path} was begun and holds nothing`);
      return;
    }
    if (verdict.kind !== "valid") {
      const message = verdict.kind === "bad" ? verdict.reason : `format version ${verdict.version} is newer`;
      return this.fault(form.path, 0, firstPosition, message);
    }
    const { header, seed } = verdict;
    this.#logId ??= header.logId;
    const begins = header.number === number && header.firstPosition === firstPosition && header.logId === this.#logId;
    const follows = next === null || (next.position === firstPosition && next.sequence === header.firstSequence);
    if (!begins || !follows) {
      this.fault(form.path, 0, firstPosition, "the header does not follow from the segment before");
    }
    const from = { offset: segmentHeaderBytes, sequence: header.firstSequence, position: firstPosition };
    for await (const event of walkFrames(window, seed, from)) {
      switch (event.kind) {
        case "frames":
          for (const frame of event.frames) this.#frame(form.path, window, frame);
          break;
        case "end":
          this.#next = event.at;
          break;
        case "failed":
          this.fault(form.path, 0, firstPosition, event.error.message);
          break;
        case "broken":
          await this.#broken(form.path, window, { seed, at: event.at, reason: event.reason, isLast });
          break;
        case "misplaced":
          this.fault(form.path, event.at.offset, event.at.position, event.reason);
          break;
      }
    }
  }

  #frame(path: string, window: ByteWindow, { records, blobs, payloadOffset, header }: Frame): void {
    this.#records += records.length;
    for (const { id, offset, length } of blobs) {
      const bytes = window.peek(payloadOffset + offset, length);
      if (bytes !== null && isBlobOf(id, bytes)) this.#intact.add(id);
      else this.fault(path, payloadOffset + offset, header.firstPosition, `blob ${id} is not what its id says`);
    }
  }

  /** A tail that a crash left is none of a fault. */
  async #broken(
    path: string,
    window: ByteWindow,
    { seed, at, reason, isLast }: { seed: number; at: Cursor; reason: string; isLast: boolean },
  ): Promise<void> {
    const proof = isLast ? await findProof(window, seed, at) : null;
    if (proof?.ok === true && proof.value === null) {
      this.#notes.push(`${path} ends with an unfinished write of ${window.end - at.offset} bytes at byte ${at.offset}`);
      return;
    }
    this.fault(path, at.offset, at.position, reason);
  }

  /** The file is its header, its blocks and its directory, and nothing else. */
  #noGaps(path: string, position: number, { blocks, bytes, fileBytes }: Extent): void {
    const end = blocks.reduce((at, { storedBytes }) => at + storedBytes, sealedHeaderBytes);
    const tail = fileBytes - sealedTrailerBytes - bytes;
    if (end !== tail) this.fault(path, end, position, `${tail - end} bytes between the last block and the directory`);
  }

  async #sealed({ blobsPath, edition }: Extract<FoundForm, { kind: "sealed" }>, number: number, position: number) {
    const opened = await this.#files.open(blobsPath, "read");
    if (!opened.ok) return this.fault(blobsPath, 0, position, opened.error.message);
    try {
      const identity = { logId: this.#logId ?? "", segment: number, edition };
      const directory = await readOpenDirectory(opened.value, identity);
      if (!directory.ok) return this.fault(blobsPath, directory.error.offset, position, directory.error.message);
      const size = await opened.value.size();
      if (size.ok) this.#bytes += size.value;
      const { blocks, blobs } = directory.value;
      if (size.ok) this.#noGaps(blobsPath, position, { ...directory.value, fileBytes: size.value });
      let next = 0;
      for (const block of blocks) {
        const raw = await readBlock(opened.value, block);
        if (!raw.ok) this.fault(blobsPath, block.fileOffset, position, raw.error.message);
        for (let blob = blobs[next]; blob !== undefined && blob.offset + blob.length <= block.offset + block.length; ) {
          const from = blob.offset - block.offset;
          const isIntact = raw.ok && isBlobOf(blob.id, raw.value.subarray(from, from + blob.length));
          if (isIntact) this.#intact.add(blob.id);
          else if (raw.ok) this.fault(blobsPath, block.fileOffset, position, `blob ${blob.id} is not what its id says`);
          next += 1;
          blob = blobs[next];
        }
      }
      for (const { id, length } of blobs.slice(next)) if (length === 0) this.#intact.add(id);
    } finally {
      await opened.value.close();
    }
  }
}

interface Extent extends StoredDirectory {
  readonly fileBytes: number;
}
