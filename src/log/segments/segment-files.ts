// The files of a log: `<directory>/segments/<first position>-<number>.segment`, and the directories that hold them.
// A name in a directory is durable only once the directory itself is synced.

import { dirname, join } from "node:path";
import { ok } from "../../base/result.ts";
import type { FileHandle, FileResult, Files } from "../../host/files.ts";
import { segmentsMax } from "../limits.ts";
import { encodeSegmentHeader, type SegmentHeader } from "./segment-header.ts";

const NAME = /^(\d{16})-(\d{8})\.segment$/;

export interface SegmentName {
  readonly path: string;
  readonly firstPosition: number;
  readonly number: number;
}

export interface OpenSegment {
  readonly path: string;
  readonly handle: FileHandle;
  readonly seed: number;
}

export const segmentsDirectory = (directory: string): string => join(directory, "segments");
export const lockPath = (directory: string): string => join(directory, "writer.lock");

/** Segments holding only blobs share their first position: the number tells them apart. */
export function segmentPath(directory: string, firstPosition: number, number: number): string {
  const name = `${String(firstPosition).padStart(16, "0")}-${String(number).padStart(8, "0")}.segment`;
  return join(segmentsDirectory(directory), name);
}

/** In the order of their numbers; files of other names are not the log's. */
export async function listSegments(files: Files, directory: string): FileResult<readonly SegmentName[]> {
  const parent = segmentsDirectory(directory);
  const entries = await files.list(parent, segmentsMax);
  if (!entries.ok) return entries;
  const names: SegmentName[] = [];
  for (const { name } of entries.value) {
    const match = NAME.exec(name);
    if (match === null) continue;
    names.push({ path: join(parent, name), firstPosition: Number(match[1]), number: Number(match[2]) });
  }
  return ok(names.sort((a, b) => a.number - b.number));
}

/** Creates the log's directories where they are missing and makes their names durable. */
export async function prepareDirectories(files: Files, directory: string): FileResult<void> {
  const created = await missingAncestors(files, segmentsDirectory(directory));
  if (!created.ok) return created;
  const made = await files.makeDirectory(segmentsDirectory(directory));
  if (!made.ok) return made;
  // The log's own directory is synced even if it was there: whoever made it may not have done so.
  for (const name of new Set([...created.value, segmentsDirectory(directory), directory])) {
    const synced = await files.syncDirectory(dirname(name));
    if (!synced.ok && synced.error.code !== "denied") return synced;
  }
  return ok(undefined);
}

/** A new segment, durable with its header and its name before anything is put into it. */
export async function createSegment(files: Files, directory: string, header: SegmentHeader): FileResult<OpenSegment> {
  const path = segmentPath(directory, header.firstPosition, header.number);
  const opened = await files.open(path, "create");
  if (!opened.ok) return opened;
  const handle = opened.value;
  const { bytes, seed } = encodeSegmentHeader(header);
  for (const step of [
    () => handle.append([bytes]),
    () => handle.sync(),
    () => files.syncDirectory(segmentsDirectory(directory)),
  ]) {
    const done = await step();
    if (done.ok) continue;
    // Best effort: an opener takes a segment without a whole header for one that was never begun.
    await handle.close();
    await files.remove(path);
    return done;
  }
  return ok({ path, handle, seed });
}

async function missingAncestors(files: Files, path: string): FileResult<readonly string[]> {
  const missing: string[] = [];
  for (let at = path; at !== dirname(at); at = dirname(at)) {
    const stat = await files.stat(at);
    if (stat.ok) break;
    if (stat.error.code !== "not-found") return stat;
    missing.unshift(at);
  }
  return ok(missing);
}
