// Makes accepted batches durable, in order. Whatever waits while a flush is under way goes into the next one together:
// one write that is durable when it answers. After a failure nothing more is written, and what was partly written is cut off again.

import { asPosition, type Position } from "../../base/ids.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { FileError, FileHandle, FileResult, Files } from "../../host/files.ts";
import type { LogLimits } from "../limits.ts";
import type { AppendError } from "../log.ts";
import type { BlobIndex } from "./blob-index.ts";
import { type FrameDraft, finishFrame, frameHeaderBytes, joined } from "./frame.ts";
import type { FramePieces } from "./frame-pieces.ts";
import { writeLogFile } from "./log-file.ts";
import { Segment } from "./segment.ts";
import { createSegment } from "./segment-files.ts";
import { segmentHeaderBytes } from "./segment-header.ts";

export interface CommitTarget {
  readonly files: Files;
  readonly directory: string;
  readonly limits: LogLimits;
  readonly logId: string;
  /** The last one is the active one, open as `handle`, whose appends are durable; a new one is pushed when it is full. */
  readonly segments: Segment[];
  readonly index: BlobIndex;
  /** What drafts lie in; told here when they are durable. */
  readonly pieces: FramePieces;
}

type Answer = Result<Position, AppendError>;

interface Waiting {
  /** Null for who only waits for everything before. */
  readonly draft: FrameDraft | null;
  readonly firstPosition: Position;
  readonly end: Position;
  /** Called with the place after it in the instant in which it and all before it have become durable. */
  readonly reached: ((segment: Segment) => void) | null;
  resolve(answer: Answer): void;
}

export class GroupCommit {
  readonly #target: CommitTarget;
  #active: Segment;
  #handle: FileHandle;
  readonly #queue: Waiting[] = [];
  #isRunning = false;
  #failure: AppendError | null = null;

  constructor(target: CommitTarget, active: Segment, handle: FileHandle) {
    this.#target = target;
    this.#active = active;
    this.#handle = handle;
  }

  /** Why nothing is written any more; null while all is well. */
  get failure(): AppendError | null {
    return this.#failure;
  }

  /** Position after the last durable record. */
  get durable(): Position {
    return asPosition(this.#active.end.position);
  }

  /** Takes its place in the order at once; resolves with `end` when it and all before it are durable. */
  submit(draft: FrameDraft | null, firstPosition: Position, end: Position): Promise<Answer> {
    return this.#submit(draft, firstPosition, end, null);
  }

  /** Calls back in the instant in which everything submitted before is durable, and nothing submitted after it is. */
  atBarrier(end: Position, reached: (active: Segment) => void): Promise<Answer> {
    return this.#submit(null, end, end, reached);
  }

  #submit(
    draft: FrameDraft | null,
    firstPosition: Position,
    end: Position,
    reached: Waiting["reached"],
  ): Promise<Answer> {
    const { promise, resolve } = Promise.withResolvers<Answer>();
    this.#queue.push({ draft, firstPosition, end, reached, resolve });
    if (!this.#isRunning) {
      this.#isRunning = true;
      void this.#run();
    }
    return promise;
  }

  /** After the queue has drained. */
  async close(): Promise<void> {
    await this.#handle.close();
  }

  async #run(): Promise<void> {
    // Batches submitted in the same turn share the first flush.
    await Promise.resolve();
    while (this.#queue.length > 0) await this.#flushSome();
    this.#isRunning = false;
  }

  async #flushSome(): Promise<void> {
    const first = this.#queue[0];
    if (this.#failure !== null) return this.#answerAll(this.#queue.splice(0), err(this.#failure));
    if (first !== undefined && !this.#fits(first, 0)) {
      const rolled = await this.#roll();
      if (!rolled.ok) return this.#fail(rolled.error, []);
    }
    const group = this.#takeGroup();
    const written = await this.#write(group);
    if (!written.ok) return this.#fail(written.error, group);
    for (const waiting of group) waiting.resolve(ok(waiting.end));
  }

  #takeGroup(): readonly Waiting[] {
    const group: Waiting[] = [];
    let bytes = 0;
    for (let next = this.#queue[0]; next !== undefined && this.#fits(next, bytes); next = this.#queue[0]) {
      // Who waits only for what is already durable is not made to share the fate of this write.
      if (next.draft !== null && group.length > 0 && bytes === 0) break;
      group.push(next);
      bytes += next.draft?.bytes.length ?? 0;
      this.#queue.shift();
    }
    return group;
  }

  /** Whether a frame may join a group of so many bytes; a frame larger than any limit goes alone. */
  #fits({ draft }: Waiting, groupBytes: number): boolean {
    // An empty frame closes the log and belongs to what it closes.
    if (draft === null || draft.bytes.length === frameHeaderBytes) return true;
    if (this.#active.isEmpty && groupBytes === 0) return true;
    const { segmentBytesMax, groupBytesMax } = this.#target.limits;
    if (this.#active.end.offset + groupBytes + draft.bytes.length > segmentBytesMax) return false;
    return groupBytes === 0 || groupBytes + draft.bytes.length <= groupBytesMax;
  }

  async #write(group: readonly Waiting[]): FileResult<void> {
    const durableSequence = this.#active.end.sequence;
    const chunks: Buffer[] = [];
    for (const { draft, firstPosition } of group) {
      if (draft === null) continue;
      const sequence = durableSequence + chunks.length;
      chunks.push(finishFrame(draft, { sequence, durableSequence, firstPosition, seed: this.#active.seed }));
    }
    if (chunks.length === 0) {
      for (const { reached } of group) reached?.(this.#active);
      return ok(undefined);
    }
    const appended = await this.#handle.append(joined(chunks));
    if (!appended.ok) return appended;
    for (const { draft, end, reached } of group) {
      if (draft !== null) this.#settle(draft, end);
      reached?.(this.#active);
    }
    return ok(undefined);
  }

  #settle(draft: FrameDraft, end: Position): void {
    const { offset, sequence } = this.#active.end;
    const payloadOffset = offset + frameHeaderBytes;
    this.#target.index.addStored(this.#active.number, { blobs: draft.blobs, payloadOffset });
    this.#active.advance({ offset: offset + draft.bytes.length, sequence: sequence + 1, position: end });
    this.#target.pieces.settled(draft, this.#active.number, offset);
  }

  async #roll(): FileResult<void> {
    const { files, directory, logId, segments } = this.#target;
    const { position, sequence } = this.#active.end;
    const number = this.#active.number + 1;
    const header = { logId, number, firstPosition: position, firstSequence: sequence };
    const created = await createSegment(files, directory, header);
    if (!created.ok) return created;
    await this.#handle.close();
    const { path, handle, seed } = created.value;
    this.#handle = handle;
    this.#active = new Segment(path, number, seed, { offset: segmentHeaderBytes, sequence, position });
    segments.push(this.#active);
    // Where the disk refuses, the file says too little, and the next opening mends it.
    await writeLogFile(files, directory, { log: logId, segments: number + 1 });
    return ok(undefined);
  }

  async #fail(error: FileError, group: readonly Waiting[]): Promise<void> {
    const message = `${error.path}: ${error.message} (${error.code})`;
    const kind = error.code === "no-space" ? "no-space" : "stopped";
    this.#failure = { kind: "stopped", message: `an earlier flush failed: ${message}` };
    const lost = [...group, ...this.#queue.splice(0)];
    for (const { draft } of lost) if (draft !== null) this.#target.index.dropWaiting(draft);
    const cut = await this.#cutBack();
    const left = cut.ok ? "" : `; part of it may still be found when the log is opened again: ${cut.error.message}`;
    this.#answerAll(lost, err({ kind, message: message + left }));
  }

  /** Makes sure that a batch answered with an error does not come back at the next opening. */
  async #cutBack(): FileResult<void> {
    const cut = await this.#handle.truncate(this.#active.end.offset);
    return cut.ok ? this.#handle.sync() : cut;
  }

  #answerAll(waiting: readonly Waiting[], answer: Answer): void {
    for (const { resolve } of waiting) resolve(answer);
  }
}
