// The Log over segment files: `openSegmentLog` for the one writer, `openLogReader` for everybody else.
// The writer holds the lock from before it looks until after its last flush; only the writer ever changes a file.

import { assert } from "../../base/assert.ts";
import type { BlobId } from "../../base/ids.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { FileHandle, FileResult, Files } from "../../host/files.ts";
import type { HeldLock, Locks } from "../../host/lock.ts";
import type { Random } from "../../host/random.ts";
import { framePayloadBytesMax, LOG_LIMITS, type LogLimits } from "../limits.ts";
import type { Log, OpenError } from "../log.ts";
import { BlockCache } from "./block-cache.ts";
import { FramePieces } from "./frame-pieces.ts";
import { GroupCommit } from "./group-commit.ts";
import { HandlePool } from "./handle-pool.ts";
import { lockPath } from "./lock-path.ts";
import { writeLogFile } from "./log-file.ts";
import { LogReader } from "./log-reader.ts";
import { LogWriter } from "./log-writer.ts";
import { Maintenance } from "./maintenance.ts";
import { ReadAhead } from "./read-ahead.ts";
import type { LogSource } from "./reading.ts";
import { RecentReads } from "./recent-reads.ts";
import { ioError, type Recovered, type RecoverOptions, recover, type TornTail } from "./recover.ts";
import { Segment } from "./segment.ts";
import { createSegment, prepareDirectories, segmentsDirectory } from "./segment-files.ts";
import { logIdLetters, segmentHeaderBytes } from "./segment-header.ts";
import type { LogStats } from "./stats.ts";

export interface LogReaderOptions {
  readonly files: Files;
  /** Absolute. */
  readonly directory: string;
  readonly limits?: Partial<LogLimits>;
  /** False reads everything from the first record on, as fsck does. Default true. */
  readonly checkpoints?: boolean;
}

export interface SegmentLogOptions extends LogReaderOptions {
  readonly locks: Locks;
  /** Names a new log. */
  readonly random: Random;
}

export interface SealReport {
  /** Segments that were taken apart. */
  readonly sealed: number;
}

export interface CollectReport {
  readonly blobsRemoved: number;
  /** Of those blobs, before any compression. */
  readonly bytesRemoved: number;
  readonly segmentsRewritten: number;
}

/** The disk refused; the log is as it was. */
export interface MaintenanceError {
  readonly kind: "failed";
  readonly message: string;
}

export interface SegmentLog extends Log {
  /** What a crash had left of an unfinished write: cut off by the writer, passed over by a reader. Null after a clean end. */
  readonly tornTail: TornTail | null;
  /** What a person should know of the opening, for example that a checkpoint was damaged and not used. */
  readonly notes: readonly string[];
  /**
   * Takes full segments apart into records and compressed blobs, the oldest first, at most so many (default: all). Meant for when
   * there is little else to do.
   */
  seal(segmentsMax?: number): Promise<Result<SealReport, MaintenanceError>>;
  /**
   * Removes every durable blob of which `keep` says no; asked at once for all. Those in the segment that is being written
   * only stop being there: their bytes go when it is full and this is called again.
   */
  collect(keep: (id: BlobId) => boolean): Promise<Result<CollectReport, MaintenanceError>>;
  stats(): LogStats;
}

/** Opens the log for writing, creating it where there is none; `held` while another writer has it. */
export async function openSegmentLog(options: SegmentLogOptions): Promise<Result<SegmentLog, OpenError>> {
  const { files, locks, directory } = options;
  const prepared = await prepareDirectories(files, directory);
  if (!prepared.ok) return err(ioError(prepared.error));
  const lock = await locks.acquire(lockPath(directory));
  if (!lock.ok) {
    const message = `${lock.error.path}: ${lock.error.message}`;
    return err({ kind: lock.error.code === "held" ? "held" : "io", message });
  }
  const opened = await openLocked(options, lock.value);
  if (!opened.ok) await lock.value.release();
  return opened;
}

/**
 * Opens the log as it stands now, without the lock: records and blobs that come later are not seen, and `append` answers
 * `stopped`. While a writer lives, the newest frames may not be durable yet.
 */
export async function openLogReader(options: LogReaderOptions): Promise<Result<SegmentLog, OpenError>> {
  const { files, directory } = options;
  const limits = limitsOf(options);
  let recovered = await recover(files, directory, recoverOptions(options, limits));
  for (let left = recoverRetriesMax; left > 0 && !recovered.ok && recovered.error.kind !== "newer"; left -= 1) {
    // A writer that cuts off a torn tail, or seals a segment, can make one pass over its files see parts of both.
    recovered = await recover(files, directory, recoverOptions(options, limits));
  }
  if (!recovered.ok) return recovered;
  const { tail: tornTail, saved, notes } = recovered.value;
  const source = sourceOf(files, recovered.value, recovered.value.logId ?? "", limits, null);
  return ok(new LogReader({ source, tornTail, saved, notes }));
}

function recoverOptions({ checkpoints = true }: LogReaderOptions, { chunkBytes }: LogLimits): RecoverOptions {
  return { chunkBytes, checkpoints };
}

function sourceOf(
  files: Files,
  { segments, index }: Recovered,
  logId: string,
  limits: LogLimits,
  pieces: FramePieces | null,
): LogSource {
  const pool = new HandlePool(files, limits.readHandlesMax);
  const [blocks, reads] = [new BlockCache(pool, logId), new RecentReads(limits.readBytesKept)];
  const ahead = new ReadAhead(pool, limits.chunkBytes);
  return { segments, index, pool, blocks, ahead, pieces, reads, chunkBytes: limits.chunkBytes };
}

const recoverRetriesMax = 2;

async function openLocked(options: SegmentLogOptions, lock: HeldLock): Promise<Result<SegmentLog, OpenError>> {
  const { files, directory, random } = options;
  const limits = limitsOf(options);
  const recovered = await recover(files, directory, recoverOptions(options, limits));
  if (!recovered.ok) return recovered;
  const { segments, index, tail: tornTail, saved, notes } = recovered.value;
  const logId = recovered.value.logId ?? random.letters(logIdLetters);
  const handle = await openActive(files, directory, recovered.value, logId);
  if (!handle.ok) return err(ioError(handle.error));
  const known = recovered.value.logFile;
  if (known === null || known.segments < segments.length) {
    const said = await writeLogFile(files, directory, { log: logId, segments: segments.length });
    // An old one that says too little does no harm; without any a log that is lost would pass for a new one.
    if (!said.ok && known === null) {
      await handle.value.close();
      return err(ioError(said.error));
    }
  }
  const active = segments.at(-1);
  assert(active !== undefined, "a log open for writing has a segment");
  const pieces = new FramePieces(limits.writtenBytesKept);
  const target = { files, directory, limits, logId, segments, index, pieces };
  const commit = new GroupCommit(target, active, handle.value);
  const source = sourceOf(files, recovered.value, logId, limits, pieces);
  const { chunkBytes } = limits;
  const maintenance = new Maintenance({ files, directory, logId, index, chunkBytes }, source);
  return ok(new LogWriter({ source, commit, pieces, maintenance, limits, lock, tornTail, saved, notes }));
}

/** The last segment, open for appending, ending with its last good frame; everything in it durable from here on. */
async function openActive(
  files: Files,
  directory: string,
  recovered: Recovered,
  logId: string,
): FileResult<FileHandle> {
  const { segments, tail, leftovers } = recovered;
  for (const path of tail?.kind === "file" ? [tail.file, ...leftovers] : leftovers) {
    const removed = await files.remove(path);
    if (!removed.ok) return removed;
  }
  // What was found may so far have been only in the system's cache; it counts as durable from now on.
  const named = await files.syncDirectory(segmentsDirectory(directory));
  if (!named.ok) return named;
  const active = segments.at(-1);
  if (active === undefined || active.form.kind === "sealed") {
    const { position, sequence } = active?.end ?? { position: 0, sequence: 0 };
    const number = segments.length;
    const header = { logId, number, firstPosition: position, firstSequence: sequence };
    const created = await createSegment(files, directory, header);
    if (!created.ok) return created;
    const { path, handle, seed } = created.value;
    segments.push(new Segment(path, number, seed, { offset: segmentHeaderBytes, sequence, position }));
    return ok(handle);
  }
  const opened = await files.open(active.path, "append", { durable: true });
  if (!opened.ok) return opened;
  const handle = opened.value;
  const cut = tail?.kind === "frame" ? await handle.truncate(tail.offset) : ok(undefined);
  const synced = cut.ok ? await handle.sync() : cut;
  if (synced.ok) return ok(handle);
  await handle.close();
  return synced;
}

function limitsOf({ limits }: LogReaderOptions): LogLimits {
  const merged = { ...LOG_LIMITS, ...limits };
  assert(merged.batchBytesMax <= framePayloadBytesMax, "a batch fits the format");
  return merged;
}
