// The files of a log, all in `<directory>/segments`, and what a crash may leave of them:
//   <first position>-<number>.segment            as it was written
//   <first position>-<number>.events             sealed: the same frames without their blobs
//   <first position>-<number>.<edition>.blobs    sealed: its blobs, compressed
// A name in a directory is durable only once the directory itself is synced.

import { dirname, join } from "node:path";
import { ok } from "../../base/result.ts";
import type { FileHandle, FileResult, Files } from "../../host/files.ts";
import { segmentsMax } from "../limits.ts";
import { encodeSegmentHeader, type SegmentHeader } from "./segment-header.ts";

const NAME = /^(\d{16})-(\d{8})\.(?:(segment)|(events)|(\d{8})\.blobs)$/;
const TEMPORARY = /\.tmp$/;
/** Names of one segment while it is being sealed or collected. */
const namesOfSegmentMax = 6;

/** What is there of one segment. */
export interface SegmentFiles {
  readonly firstPosition: number;
  readonly number: number;
  /** Null where it is neither whole. */
  readonly form: FoundForm | null;
}

export type FoundForm =
  | { readonly kind: "plain"; readonly path: string }
  | { readonly kind: "sealed"; readonly path: string; readonly blobsPath: string; readonly edition: number };

export interface Listed {
  /** In the order of their numbers. */
  readonly segments: readonly SegmentFiles[];
  /** What was being made or replaced when a writer died: of no use any more. */
  readonly leftovers: readonly string[];
  /** Of other names: not the log's, and left alone. */
  readonly strays: readonly string[];
}

export interface OpenSegment {
  readonly path: string;
  readonly handle: FileHandle;
  readonly seed: number;
}

export const segmentsDirectory = (directory: string): string => join(directory, "segments");

/** Segments holding only blobs share their first position: the number tells them apart. */
export function segmentPath(directory: string, firstPosition: number, number: number): string {
  return `${stem(directory, firstPosition, number)}.segment`;
}

export function eventsPath(directory: string, firstPosition: number, number: number): string {
  return `${stem(directory, firstPosition, number)}.events`;
}

export function blobsPath(directory: string, firstPosition: number, number: number, edition: number): string {
  return `${stem(directory, firstPosition, number)}.${String(edition).padStart(8, "0")}.blobs`;
}

export async function listSegments(files: Files, directory: string): FileResult<Listed> {
  const parent = segmentsDirectory(directory);
  const entries = await files.list(parent, segmentsMax * namesOfSegmentMax);
  if (!entries.ok) return entries;
  const found = new Map<string, Found>();
  const leftovers: string[] = [];
  const strays: string[] = [];
  for (const { name } of entries.value) {
    const match = NAME.exec(name);
    if (match === null) {
      (TEMPORARY.test(name) ? leftovers : strays).push(join(parent, name));
      continue;
    }
    const [, first, number, plain, events, edition] = match;
    const key = `${first}-${number}`;
    const segment = found.get(key) ?? newFound(Number(first), Number(number));
    found.set(key, segment);
    const path = join(parent, name);
    if (plain !== undefined) segment.plain = path;
    else if (events !== undefined) segment.events = path;
    else segment.blobs.push({ path, edition: Number(edition) });
  }
  const segments = [...found.values()].map((segment) => settled(segment, leftovers));
  return ok({ segments: segments.sort((a, b) => a.number - b.number), leftovers, strays });
}

/** Creates the log's directories where they are missing and makes their names durable, from the root down. */
export async function prepareDirectories(files: Files, directory: string): FileResult<void> {
  const segments = segmentsDirectory(directory);
  const made = await files.makeDirectory(segments, { private: true });
  if (!made.ok) return made;
  // All of the path, even if it was there: an opener that died before us may have created it and synced none of it.
  for (const name of pathDown(segments)) {
    const synced = await files.syncDirectory(dirname(name));
    // Directories far above may be forbidden to us, or of a file system that has no such call; then they are not ours.
    if (!synced.ok && (name === segments || name === directory)) return synced;
  }
  return ok(undefined);
}

/** A new segment, durable with its header and its name before anything is put into it. */
export async function createSegment(files: Files, directory: string, header: SegmentHeader): FileResult<OpenSegment> {
  const path = segmentPath(directory, header.firstPosition, header.number);
  const opened = await files.open(path, "create", { private: true, durable: true });
  if (!opened.ok) return opened;
  const handle = opened.value;
  const { bytes, seed } = encodeSegmentHeader(header);
  for (const step of [() => handle.append([bytes]), () => files.syncDirectory(segmentsDirectory(directory))]) {
    const done = await step();
    if (done.ok) continue;
    // Best effort: an opener takes a segment without a whole header for one that was never begun.
    await handle.close();
    await files.remove(path);
    return done;
  }
  return ok({ path, handle, seed });
}

interface Found {
  readonly firstPosition: number;
  readonly number: number;
  plain: string | null;
  events: string | null;
  readonly blobs: { readonly path: string; readonly edition: number }[];
}

function newFound(firstPosition: number, number: number): Found {
  return { firstPosition, number, plain: null, events: null, blobs: [] };
}

/**
 * A segment is sealed once both of its new files have their names; the old one is removed only after that is durable. So
 * whatever a crash leaves, one whole form is there.
 */
function settled({ firstPosition, number, plain, events, blobs }: Found, leftovers: string[]): SegmentFiles {
  const newest = blobs.toSorted((a, b) => b.edition - a.edition)[0];
  if (events !== null && newest !== undefined) {
    if (plain !== null) leftovers.push(plain);
    leftovers.push(...blobs.filter((each) => each !== newest).map(({ path }) => path));
    const form = { kind: "sealed", path: events, blobsPath: newest.path, edition: newest.edition } as const;
    return { firstPosition, number, form };
  }
  if (plain === null) return { firstPosition, number, form: null };
  if (events !== null) leftovers.push(events);
  leftovers.push(...blobs.map(({ path }) => path));
  return { firstPosition, number, form: { kind: "plain", path: plain } };
}

function stem(directory: string, firstPosition: number, number: number): string {
  const name = `${String(firstPosition).padStart(16, "0")}-${String(number).padStart(8, "0")}`;
  return join(segmentsDirectory(directory), name);
}

/** The path and all that lead to it, without the root. */
function pathDown(path: string): readonly string[] {
  return path === dirname(path) ? [] : [...pathDown(dirname(path)), path];
}
