// The checkpoints of a log: `<directory>/checkpoints/<position>.checkpoint`, written beside and then given their name, so
// that one is whole or not there. The newest two are kept.

import { join } from "node:path";
import { ok } from "../../base/result.ts";
import type { FileHandle, FileResult, Files } from "../../host/files.ts";
import { type CheckpointHeader, encodeCheckpointHeader, encodeEnd, encodePartHeader } from "./checkpoint-format.ts";

const NAME = /^(\d{16})\.checkpoint$/;
const keptCount = 2;
const filesMax = 10_000;
/** Gathered before each write. */
const writeBytesGoal = 1024 * 1024;

export interface NamedCheckpoint {
  readonly path: string;
  readonly position: number;
}

export interface SectionPart {
  readonly section: number;
  readonly bytes: Uint8Array;
}

export const checkpointsDirectory = (directory: string): string => join(directory, "checkpoints");

/** Newest first; none where there is no directory. */
export async function listCheckpoints(files: Files, directory: string): FileResult<readonly NamedCheckpoint[]> {
  const parent = checkpointsDirectory(directory);
  const entries = await files.list(parent, filesMax);
  if (!entries.ok) return entries.error.code === "not-found" ? ok([]) : entries;
  const found = entries.value.flatMap(({ name }) => {
    const match = NAME.exec(name);
    return match === null ? [] : [{ path: join(parent, name), position: Number(match[1]) }];
  });
  return ok(found.sort((a, b) => b.position - a.position));
}

/** Returns its length in bytes. Where it fails nothing has changed but a file that nobody looks at. */
export async function writeCheckpoint(
  files: Files,
  directory: string,
  header: CheckpointHeader,
  parts: Iterable<SectionPart>,
): FileResult<number> {
  const parent = checkpointsDirectory(directory);
  const made = await files.makeDirectory(parent);
  if (!made.ok) return made;
  const named = await files.syncDirectory(directory);
  if (!named.ok) return named;
  const path = join(parent, `${String(header.position).padStart(16, "0")}.checkpoint`);
  const temporary = `${path}.tmp`;
  const removed = await files.remove(temporary);
  if (!removed.ok) return removed;
  const opened = await files.open(temporary, "create");
  if (!opened.ok) return opened;
  const written = await writeAll(opened.value, header, parts);
  await opened.value.close();
  const renamed = written.ok ? await files.rename(temporary, path) : written;
  const synced = renamed.ok ? await files.syncDirectory(parent) : renamed;
  if (!synced.ok) {
    await files.remove(temporary);
    return synced;
  }
  await removeOld(files, directory);
  return written;
}

async function writeAll(
  handle: FileHandle,
  header: CheckpointHeader,
  parts: Iterable<SectionPart>,
): FileResult<number> {
  let gathered: Uint8Array[] = [encodeCheckpointHeader(header)];
  let [waiting, total, count] = [0, 0, 0];
  for (const { section, bytes } of parts) {
    gathered.push(encodePartHeader(section, bytes), bytes);
    waiting += bytes.length;
    count += 1;
    if (waiting < writeBytesGoal) continue;
    const appended = await handle.append(gathered);
    if (!appended.ok) return appended;
    total += waiting;
    [gathered, waiting] = [[], 0];
  }
  const appended = await handle.append([...gathered, ...encodeEnd(count)]);
  if (!appended.ok) return appended;
  const synced = await handle.sync();
  return synced.ok ? ok(total + waiting) : synced;
}

/** Best effort: what is left over costs only room. */
async function removeOld(files: Files, directory: string): Promise<void> {
  const parent = checkpointsDirectory(directory);
  const entries = await files.list(parent, filesMax);
  if (!entries.ok) return;
  const names = entries.value.map(({ name }) => name).filter((name) => NAME.test(name));
  const kept = new Set(names.toSorted().slice(-keptCount));
  for (const { name } of entries.value) if (!kept.has(name)) await files.remove(join(parent, name));
}
