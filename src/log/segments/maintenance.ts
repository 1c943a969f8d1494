// What a writer does beside its commits: checkpoints, sealing, collecting. Sealing and collecting wait for each other; none of
// it can lose anything, and where the disk refuses, the log goes on as it is.

import { assert } from "../../base/assert.ts";
import type { BlobId, Position } from "../../base/ids.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { FileError, FileResult } from "../../host/files.ts";
import type { AppendError, CheckpointError, CheckpointReport, FoldImage } from "../log.ts";
import { checkpointParts } from "./checkpoint-content.ts";
import { type SectionPart, writeCheckpoint } from "./checkpoint-files.ts";
import type { LogSource } from "./reading.ts";
import { collectSegment, type SealTarget, sealSegment } from "./seal.ts";
import type { Segment } from "./segment.ts";
import type { CollectReport, MaintenanceError, SealReport } from "./segment-log.ts";

type Barrier = (reached: () => void) => Promise<Result<Position, AppendError>>;

export class Maintenance {
  readonly #target: SealTarget;
  readonly #source: LogSource;
  #last: Promise<unknown> = Promise.resolve();
  #checkpointing: Promise<unknown> | null = null;
  #isClosing = false;

  constructor(target: SealTarget, source: LogSource) {
    this.#target = target;
    this.#source = source;
  }

  /** `barrier` calls back when all that the folds have seen is durable, and no more: then the log's own part is taken. */
  async checkpoint(
    at: Position,
    folds: readonly FoldImage[],
    barrier: Barrier,
  ): Promise<Result<CheckpointReport, CheckpointError>> {
    if (this.#checkpointing !== null) return err({ kind: "failed", message: "a checkpoint is being written" });
    const work = this.#checkpoint(at, folds, barrier);
    this.#checkpointing = work;
    const answer = await work.finally(() => {
      this.#checkpointing = null;
    });
    return answer;
  }

  seal(segmentsMax = Number.POSITIVE_INFINITY): Promise<Result<SealReport, MaintenanceError>> {
    return this.#inTurn(async () => {
      let sealed = 0;
      for (const segment of this.#full()) {
        if (this.#isClosing || sealed >= segmentsMax) break;
        if (segment.form.kind === "sealed") continue;
        const done = await this.#moved(segment, () => sealSegment(this.#target, segment));
        if (!done.ok) return err(failed(done.error));
        sealed += 1;
      }
      return ok({ sealed });
    });
  }

  /** The index has no more of what goes before the first await, so that a commit after the call stores it anew. */
  collect(keep: (id: BlobId) => boolean): Promise<Result<CollectReport, MaintenanceError>> {
    const { index } = this.#source;
    const [blobs, bytes] = [index.count, index.bytes];
    index.retain(keep);
    const gone = { blobs: blobs - index.count, bytes: bytes - index.bytes };
    return this.#inTurn(async () => {
      let segmentsRewritten = 0;
      for (const segment of this.#full()) {
        if (this.#isClosing) break;
        const { edition } = segment;
        const done = await this.#moved(segment, () =>
          segment.form.kind === "plain" ? sealSegment(this.#target, segment) : collectSegment(this.#target, segment),
        );
        if (!done.ok) return err(failed(done.error));
        if (segment.edition !== edition) segmentsRewritten += 1;
      }
      return ok({ blobsRemoved: gone.blobs, bytesRemoved: gone.bytes, segmentsRewritten });
    });
  }

  /** What has begun comes to its end; nothing begins any more. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#last;
    await this.#checkpointing;
  }

  async #checkpoint(
    at: Position,
    folds: readonly FoldImage[],
    barrier: Barrier,
  ): Promise<Result<CheckpointReport, CheckpointError>> {
    const { segments, index } = this.#source;
    let parts: Iterable<SectionPart> | null = null;
    const durable = await barrier(() => {
      parts = checkpointParts(segments, index, folds);
    });
    if (!durable.ok) return durable;
    assert(parts !== null, "a durable barrier was reached");
    const { files, directory, logId } = this.#target;
    const written = await writeCheckpoint(files, directory, { logId, position: at }, parts);
    return written.ok ? ok({ position: at, bytes: written.value }) : err(failed(written.error));
  }

  /** All but the one that is written to. */
  #full(): readonly Segment[] {
    return this.#source.segments.slice(0, -1);
  }

  /** Nothing of the old files is kept open once the segment has moved. */
  async #moved(segment: Segment, work: () => FileResult<void>): FileResult<void> {
    const { path, form } = segment;
    const done = await work();
    const { pool, blocks } = this.#source;
    if (segment.path !== path) pool.drop(path);
    if (form.kind === "plain" || segment.edition === form.edition) return done;
    pool.drop(form.blobsPath);
    blocks.forget(form.blobsPath);
    return done;
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => undefined);
    return turn;
  }
}

function failed({ path, message, code }: FileError): MaintenanceError {
  return { kind: "failed", message: `${path}: ${message} (${code})` };
}
