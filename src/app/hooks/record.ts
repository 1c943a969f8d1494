// What we have installed where: so that a file or directory that only we needed goes again, and the launcher stays as long as any of them
// calls it. A record that is lost or damaged costs nothing but an empty file that stays.

import { list, nullable, object, oneOf, type Parsed, parse, text } from "../../base/parse.ts";
import type { Result } from "../../base/result.ts";
import { HOOKED_CLIENTS } from "../../clients/launcher-command.ts";
import type { FileError } from "../../host/files.ts";
import type { Host } from "../../host/host.ts";
import type { LauncherPlaces } from "./places.ts";

const pathCharsMax = 4_096;
const filesMax = 1_000;
const bytesMax = 8 * 1024 * 1024;

const recordedFile = object({
  client: oneOf(...HOOKED_CLIENTS),
  path: text(pathCharsMax),
  /** There was no such file before. */
  created: oneOf("created", "existed"),
  /** The outermost directory that was made for it. */
  directory: nullable(text(pathCharsMax)),
});
export type RecordedFile = Parsed<typeof recordedFile>;

const record = object({ files: list(recordedFile, filesMax) });

export async function readRecord({ files }: Host, places: LauncherPlaces): Promise<readonly RecordedFile[]> {
  const bytes = await files.read(places.record, bytesMax);
  if (!bytes.ok) return [];
  try {
    const read = parse(record, JSON.parse(new TextDecoder().decode(bytes.value)), "record");
    return read.ok ? read.value.files : [];
  } catch {
    return [];
  }
}

export async function writeRecord(
  { files, random }: Host,
  places: LauncherPlaces,
  recorded: readonly RecordedFile[],
): Promise<Result<void, FileError>> {
  const temporary = `${places.record}.${random.letters(8)}`;
  const bytes = Buffer.from(`${JSON.stringify({ files: recorded.slice(-filesMax) }, null, 2)}\n`);
  const written = await files.write(temporary, bytes);
  const renamed = written.ok ? await files.rename(temporary, places.record) : written;
  if (!renamed.ok) await files.remove(temporary);
  return renamed;
}
