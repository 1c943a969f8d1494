// Checks a store from the ground up: every record and blob on the disk, then the folds computed from the first record against
// those that the newest checkpoint leads to, then that every content which must be there is. Reads only.

import type { BlobId, Position } from "../base/ids.ts";
import { ok, type Result } from "../base/result.ts";
import type { Files } from "../host/files.ts";
import type { Fold } from "../log/fold.ts";
import type { Log, OpenError } from "../log/log.ts";
import { replayFolds } from "../log/replay.ts";
import { listSegments } from "../log/segments/segment-files.ts";
import { openLogReader, type SegmentLog } from "../log/segments/segment-log.ts";
import { type LogFault, verifyLog } from "../log/segments/verify.ts";
import { vcsFold } from "./fold.ts";
import { referencedBlobs } from "./references.ts";
import type { VcsState } from "./state.ts";

export interface FsckOptions {
  readonly files: Files;
  /** The store's. */
  readonly directory: string;
  /** Those that the store's ledger is opened with. */
  readonly folds: readonly Fold<unknown>[];
  /** A content that is kept elsewhere than in the log. */
  hasElsewhere?(id: BlobId): boolean;
}

export interface FsckReport {
  readonly records: number;
  readonly blobs: number;
  readonly bytes: number;
  /** Contents that the store must have, by what its records say. */
  readonly referenced: number;
  readonly faults: readonly LogFault[];
  readonly notes: readonly string[];
}

const missingMax = 1_000;
/** While somebody writes, seals or collects, one pass over the files may see parts of before and after. */
const passesMax = 3;

export async function fsck(options: FsckOptions): Promise<Result<FsckReport, LogFault>> {
  for (let pass = 1; ; pass += 1) {
    const before = await signatureOf(options);
    const report = await onePass(options);
    const isFinal = pass === passesMax || !report.ok || report.value.faults.length === 0;
    if (isFinal || before === (await signatureOf(options))) return report;
  }
}

async function onePass(options: FsckOptions): Promise<Result<FsckReport, LogFault>> {
  const { files, directory } = options;
  const notes: string[] = [];
  // Before the files are read: what the state needs is then no newer than what was read.
  const folded = await checkFolds(options, notes);
  const verified = await verifyLog(files, directory);
  if (!verified.ok) return verified;
  const { records, blobs, bytes, intact } = verified.value;
  const faults = [...verified.value.faults, ...folded.faults];
  notes.push(...verified.value.notes);
  if (folded.unreadable !== null && faults.length === 0) faults.push(folded.unreadable);
  let referenced = 0;
  if (folded.state !== null) {
    const needed = referencedBlobs(folded.state, folded.state.keptFrom);
    referenced = needed.size;
    for (const [id, position] of needed) {
      if (intact.has(id) || options.hasElsewhere?.(id) === true || faults.length > missingMax) continue;
      const message = `blob ${id}, which snapshot ${position} is the first to need, is not in the store`;
      faults.push({ file: directory, offset: 0, position, message });
    }
  }
  return ok({ records, blobs, bytes, referenced, faults, notes });
}

async function signatureOf({ files, directory }: FsckOptions): Promise<string> {
  const listed = await listSegments(files, directory);
  if (!listed.ok) return listed.error.code;
  const sizes: string[] = [];
  for (const { form } of listed.value.segments) {
    const stat = form?.kind === "plain" ? await files.stat(form.path) : null;
    sizes.push(`${JSON.stringify(form)} ${stat?.ok === true ? stat.value.size : ""}`);
  }
  return sizes.join("\n");
}

interface Folded {
  /** Null where the log cannot be read to its end. */
  readonly state: VcsState | null;
  /** Why it cannot, where that is no damage of its bytes. */
  readonly unreadable: LogFault | null;
  readonly faults: readonly LogFault[];
}

async function checkFolds({ files, directory, folds }: FsckOptions, notes: string[]): Promise<Folded> {
  const quick = await openLogReader({ files, directory });
  const whole = await openLogReader({ files, directory, checkpoints: false });
  const fault = (message: string): LogFault => ({ file: directory, offset: 0, position: null, message });
  try {
    if (!whole.ok) return { state: null, unreadable: fault(whole.error.message), faults: [] };
    const until = quick.ok ? quick.value.end : whole.value.end;
    const truth = await states(whole.value, folds, until);
    if (typeof truth === "string") return { state: null, unreadable: fault(truth), faults: [] };
    if (quick.ok) notes.push(...quick.value.notes);
    // What only the checkpoints show: the log ends before the place that one of them was written at.
    const faults = quick.ok
      ? await compared(quick.value, truth, { directory, folds })
      : [faultOf(quick.error, directory)];
    const state = truth.get(vcsFold);
    // The map holds for each fold what its own `initial` returned.
    return { state: state === undefined ? null : (state as VcsState), unreadable: null, faults };
  } finally {
    if (whole.ok) await whole.value.close();
    if (quick.ok) await quick.value.close();
  }
}

function faultOf(error: OpenError, directory: string): LogFault {
  if (error.kind === "damaged") return error;
  return { file: "file" in error ? error.file : directory, offset: 0, position: null, message: error.message };
}

async function compared(
  quick: SegmentLog,
  truth: ReadonlyMap<Fold<unknown>, unknown>,
  { directory, folds }: Pick<FsckOptions, "directory" | "folds">,
): Promise<readonly LogFault[]> {
  if (quick.saved === null) return [];
  const { position } = quick.saved;
  const found = await states(quick, folds, quick.end);
  if (typeof found === "string") return [{ file: directory, offset: 0, position, message: found }];
  const faults: LogFault[] = [];
  for (const fold of folds) {
    if (fold.codec === undefined || sameParts(fold.codec.save(truth.get(fold)), fold.codec.save(found.get(fold))))
      continue;
    const message = `the checkpoint at ${position} gives another state of "${fold.name}" than the records do`;
    faults.push({ file: directory, offset: 0, position, message });
  }
  return faults;
}

async function states(
  log: Log,
  folds: readonly Fold<unknown>[],
  until: Position,
): Promise<ReadonlyMap<Fold<unknown>, unknown> | string> {
  try {
    return (await replayFolds(log, folds, { strict: false, until })).states;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function sameParts(a: Iterable<Uint8Array> | null, b: Iterable<Uint8Array> | null): boolean {
  if (a === null || b === null) return a === b;
  const others = b[Symbol.iterator]();
  for (const part of a) {
    // A part may be a view that the next one moves: both are taken in step.
    const other = others.next();
    if (other.done === true || Buffer.compare(part, other.value) !== 0) return false;
  }
  return others.next().done === true;
}
