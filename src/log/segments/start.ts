// Where reading a log may begin: with the newest checkpoint of which every part is right and whose segments are those on
// the disk. One that is damaged, newer than this program or of another log is passed over, and said.

import { asPosition, type Position } from "../../base/ids.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { FileHandle, Files } from "../../host/files.ts";
import type { SavedFolds } from "../log.ts";
import { BlobIndex } from "./blob-index.ts";
import type { BlobTable } from "./blob-table.ts";
import { type CheckpointSummary, partsOfPage, type SavedSegment, summaryOf } from "./checkpoint-content.ts";
import { listCheckpoints, type NamedCheckpoint } from "./checkpoint-files.ts";
import { checkpointHeaderBytes, decodeCheckpointHeader, walkParts } from "./checkpoint-format.ts";
import type { SealedDirectory } from "./sealed-blobs.ts";
import { readDirectory } from "./sealed-file.ts";
import { Segment } from "./segment.ts";
import type { SegmentFiles } from "./segment-files.ts";
import { decodeSegmentHeader, segmentHeaderBytes } from "./segment-header.ts";

/** A checkpoint was written once all before its position was durable: so far the log must reach. */
export interface Reached {
  readonly path: string;
  readonly position: number;
  readonly logId: string;
}

export type Start =
  | { readonly kind: "empty"; readonly notes: readonly string[]; readonly reached: readonly Reached[] }
  | {
      readonly kind: "checkpoint";
      readonly segments: Segment[];
      readonly index: BlobIndex;
      readonly logId: string;
      readonly saved: SavedFolds;
      readonly notes: readonly string[];
      readonly reached: readonly Reached[];
    };

export async function fromCheckpoint(files: Files, directory: string, found: readonly SegmentFiles[]): Promise<Start> {
  const notes: string[] = [];
  const reached: Reached[] = [];
  const named = await listCheckpoints(files, directory);
  if (!named.ok) return { kind: "empty", notes: [`the checkpoints cannot be listed: ${named.error.message}`], reached };
  for (const checkpoint of named.value) {
    const loaded = await load(files, checkpoint, found, reached);
    if (loaded.ok) return { kind: "checkpoint", ...loaded.value, notes, reached };
    notes.push(`the checkpoint ${checkpoint.path} was not used: ${loaded.error}`);
  }
  return { kind: "empty", notes, reached };
}

interface Loaded {
  readonly segments: Segment[];
  readonly index: BlobIndex;
  readonly logId: string;
  readonly saved: SavedFolds;
}

async function load(
  files: Files,
  { path, position }: NamedCheckpoint,
  found: readonly SegmentFiles[],
  reached: Reached[],
): Promise<Result<Loaded, string>> {
  const opened = await files.open(path, "read");
  if (!opened.ok) return err(opened.error.message);
  const handle = opened.value;
  try {
    const size = await handle.size();
    const bytes = await handle.read(0, checkpointHeaderBytes);
    if (!size.ok || !bytes.ok) return err("it cannot be read");
    const header = decodeCheckpointHeader(bufferOf(bytes.value));
    if (typeof header === "string") return err(header);
    if (header.position !== position) return err("its name is not its position");
    reached.push({ path, position, logId: header.logId });
    const content = await readContent(files, { handle, size: size.value, logId: header.logId }, found);
    if (!content.ok) return content;
    const { segments, index, folds, offsets } = content.value;
    if ((segments.at(-1)?.end.position ?? 0) < position) return err("the log ends before it");
    const saved = savedFolds({ files, path, position: asPosition(position), folds, offsets });
    return ok({ segments, index, logId: header.logId, saved });
  } finally {
    await handle.close();
  }
}

interface OpenCheckpoint {
  readonly handle: FileHandle;
  readonly size: number;
  readonly logId: string;
}

interface Content {
  readonly segments: Segment[];
  readonly index: BlobIndex;
  readonly folds: CheckpointSummary["folds"];
  /** Where each section's first part begins, by section. */
  readonly offsets: ReadonlyMap<number, number>;
}

async function readContent(
  files: Files,
  { handle, size, logId }: OpenCheckpoint,
  found: readonly SegmentFiles[],
): Promise<Result<Content, string>> {
  const index = new BlobIndex();
  const offsets = new Map<number, number>();
  let plan: Plan | null = null;
  let summary: CheckpointSummary | null = null;
  let page: Uint8Array[] = [];
  let rowsLeft = 0;
  for await (const event of walkParts(handle, size, checkpointHeaderBytes)) {
    if (event.kind === "bad") return err(event.reason);
    if (event.kind === "end") break;
    const { section, bytes, offset } = event;
    if (!offsets.has(section)) offsets.set(section, offset);
    if (section !== 0) continue;
    if (plan === null || summary === null) {
      summary = summaryOf(bytes);
      if (summary === null) return err("it does not say what it holds");
      const planned = await planSegments(files, logId, summary.segments, found);
      if (!planned.ok) return planned;
      plan = planned.value;
      rowsLeft = summary.sha1;
      index.sha1.reserve(summary.sha1);
      index.sha256.reserve(summary.sha256);
      continue;
    }
    page.push(bytes);
    if (page.length < partsOfPage) continue;
    const table: BlobTable = rowsLeft > 0 ? index.sha1 : index.sha256;
    const { renewed } = plan;
    if (!table.pushParts(page, (segment) => !renewed.has(segment))) return err("its blobs cannot be read");
    rowsLeft = Math.max(0, rowsLeft - (page[1]?.length ?? 0) / 4);
    page = [];
  }
  if (plan === null || summary === null) return err("it is empty");
  for (const [segment, { blobs }] of plan.renewed) {
    for (const { id, offset, length } of blobs) index.add(id, { segment, offset, length });
  }
  return ok({ segments: plan.segments, index, folds: summary.folds, offsets });
}

interface Plan {
  readonly segments: Segment[];
  /** Segments whose blobs have moved since the checkpoint: what they have now. */
  readonly renewed: ReadonlyMap<number, SealedDirectory>;
}

async function planSegments(
  files: Files,
  logId: string,
  saved: readonly SavedSegment[],
  found: readonly SegmentFiles[],
): Promise<Result<Plan, string>> {
  const segments: Segment[] = [];
  const renewed = new Map<number, SealedDirectory>();
  for (const [number, each] of saved.entries()) {
    const there = found[number];
    const start = each.marks[0];
    if (start === undefined || each.number !== number) return err("its segments are not in order");
    if (there === undefined || there.form === null || there.number !== number)
      return err(`segment ${number} is missing`);
    if (there.firstPosition !== start.position) return err(`segment ${number} is another one`);
    const { form } = there;
    const segment = new Segment(form.path, number, each.seed, start);
    const edition = form.kind === "plain" ? 0 : form.edition;
    if (edition === each.edition) {
      segment.become(form.path, form, { marks: each.marks, end: each.end });
    } else if (form.kind === "sealed") {
      const directory = await readDirectory(files, form.blobsPath, { logId, segment: number, edition });
      if (!directory.ok) return err(`${form.blobsPath}: ${directory.error.message}`);
      renewed.set(number, directory.value);
      segment.become(form.path, form, directory.value.extent);
    } else return err(`segment ${number} is older than it`);
    segments.push(segment);
  }
  const problem = await lastProblem(files, logId, segments.at(-1));
  return problem === null ? ok({ segments, renewed }) : err(problem);
}

/** Only the last segment's file is looked at: that it is of this log, and at least as long as the checkpoint knows it. */
async function lastProblem(files: Files, logId: string, segment: Segment | undefined): Promise<string | null> {
  if (segment === undefined) return "it has no segments";
  const opened = await files.open(segment.path, "read");
  if (!opened.ok) return `${segment.path}: ${opened.error.message}`;
  const size = await opened.value.size();
  const bytes = await opened.value.read(0, segmentHeaderBytes);
  await opened.value.close();
  if (!size.ok || !bytes.ok) return `${segment.path} cannot be read`;
  const verdict = decodeSegmentHeader(bufferOf(bytes.value));
  if (verdict.kind !== "valid" || verdict.header.logId !== logId || verdict.seed !== segment.seed) {
    return `${segment.path} is not the segment it knows`;
  }
  return size.value < segment.end.offset ? `${segment.path} is shorter than it was` : null;
}

interface SavedWhere {
  readonly files: Files;
  readonly path: string;
  readonly position: Position;
  readonly folds: CheckpointSummary["folds"];
  readonly offsets: ReadonlyMap<number, number>;
}

function savedFolds({ files, path, position, folds, offsets }: SavedWhere): SavedFolds {
  return {
    position,
    parts(name, version) {
      const section = 1 + folds.findIndex((fold) => fold.name === name && fold.version === version);
      return section === 0 ? null : sectionParts(files, path, { section, offset: offsets.get(section) ?? null });
    },
  };
}

async function* sectionParts(
  files: Files,
  path: string,
  { section, offset }: { readonly section: number; readonly offset: number | null },
): AsyncGenerator<Uint8Array> {
  if (offset === null) return;
  const opened = await files.open(path, "read");
  if (!opened.ok) throw new Error(`${path}: ${opened.error.message}`);
  try {
    const size = await opened.value.size();
    if (!size.ok) throw new Error(`${path}: ${size.error.message}`);
    for await (const event of walkParts(opened.value, size.value, offset)) {
      if (event.kind === "bad") throw new Error(`${path}: ${event.reason}`);
      if (event.kind === "end" || event.section !== section) return;
      yield event.bytes;
    }
  } finally {
    await opened.value.close();
  }
}

function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
