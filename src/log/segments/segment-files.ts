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
  const opened = await files.open(path, "create", { private: true });
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

/** The path and all that lead to it, without the root. */
function pathDown(path: string): readonly string[] {
  return path === dirname(path) ? [] : [...pathDown(dirname(path)), path];
}
