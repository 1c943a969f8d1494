// The Log over segment files: `openSegmentLog` for the one writer, `openLogReader` for everybody else.
// The writer holds the lock from before it looks until after its last flush; only the writer ever changes a file.

import { assert } from "../../base/assert.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { FileHandle, FileResult, Files } from "../../host/files.ts";
import type { HeldLock, Locks } from "../../host/lock.ts";
import type { Random } from "../../host/random.ts";
import { framePayloadBytesMax, LOG_LIMITS, type LogLimits } from "../limits.ts";
import type { Log, OpenError } from "../log.ts";
import { GroupCommit } from "./group-commit.ts";
import { HandlePool } from "./handle-pool.ts";
import { LogReader } from "./log-reader.ts";
import { LogWriter } from "./log-writer.ts";
import { ioError, type Recovered, recover, type TornTail } from "./recover.ts";
import { Segment } from "./segment.ts";
import { createSegment, lockPath, prepareDirectories, segmentsDirectory } from "./segment-files.ts";
import { logIdLetters, segmentHeaderBytes } from "./segment-header.ts";

export interface LogReaderOptions {
  readonly files: Files;
  /** Absolute. */
  readonly directory: string;
  readonly limits?: Partial<LogLimits>;
}

export interface SegmentLogOptions extends LogReaderOptions {
  readonly locks: Locks;
  /** Names a new log. */
  readonly random: Random;
}

export interface SegmentLog extends Log {
  /** What a crash had left of an unfinished write: cut off by the writer, passed over by a reader. Null after a clean end. */
  readonly tornTail: TornTail | null;
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
  let recovered = await recover(files, directory, limits.chunkBytes);
  for (let left = recoverRetriesMax; left > 0 && !recovered.ok && recovered.error.kind === "damaged"; left -= 1) {
    // A writer that cuts off a torn tail and goes on can make one pass over its files see parts of both.
    recovered = await recover(files, directory, limits.chunkBytes);
  }
  if (!recovered.ok) return recovered;
  const { segments, index, tail } = recovered.value;
  const pool = new HandlePool(files, limits.readHandlesMax);
  return ok(new LogReader({ segments, index, pool, chunkBytes: limits.chunkBytes }, tail));
}

const recoverRetriesMax = 2;

async function openLocked(options: SegmentLogOptions, lock: HeldLock): Promise<Result<SegmentLog, OpenError>> {
  const { files, directory, random } = options;
  const limits = limitsOf(options);
  const recovered = await recover(files, directory, limits.chunkBytes);
  if (!recovered.ok) return recovered;
  const { segments, index, tail } = recovered.value;
  const logId = recovered.value.logId ?? random.letters(logIdLetters);
  const handle = await openActive(files, directory, recovered.value, logId);
  if (!handle.ok) return err(ioError(handle.error));
  const active = segments.at(-1);
  assert(active !== undefined, "a log open for writing has a segment");
  const pool = new HandlePool(files, limits.readHandlesMax);
  const commit = new GroupCommit({ files, directory, limits, logId, segments, index }, active, handle.value);
  const source = { segments, index, pool, chunkBytes: limits.chunkBytes };
  return ok(new LogWriter({ source, commit, limits, lock, tornTail: tail }));
}

/** The last segment, open for appending, ending with its last good frame; everything in it durable from here on. */
async function openActive(
  files: Files,
  directory: string,
  recovered: Recovered,
  logId: string,
): FileResult<FileHandle> {
  const { segments, tail } = recovered;
  if (tail?.kind === "file") {
    const removed = await files.remove(tail.file);
    if (!removed.ok) return removed;
  }
  // What was found may so far have been only in the system's cache; it counts as durable from now on.
  const named = await files.syncDirectory(segmentsDirectory(directory));
  if (!named.ok) return named;
  const active = segments.at(-1);
  if (active === undefined) {
    const created = await createSegment(files, directory, { logId, number: 0, firstPosition: 0, firstSequence: 0 });
    if (!created.ok) return created;
    const { path, handle, seed } = created.value;
    segments.push(new Segment(path, 0, seed, { offset: segmentHeaderBytes, sequence: 0, position: 0 }));
    return ok(handle);
  }
  const opened = await files.open(active.path, "append");
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
