// Checks a store on the disk: the log's records, blobs and folds, and the large contents beside it. Changes nothing.

import { join } from "node:path";
import { ok, type Result } from "../base/result.ts";
import type { Host } from "../host/host.ts";
import { largeDirectory, otherLargeFiles, readLargeBlobs } from "../log/large-blobs.ts";
import type { LogFault } from "../log/segments/verify.ts";
import { vcsFold } from "../vcs/fold.ts";
import { type FsckReport, fsck } from "../vcs/fsck.ts";

const notesMax = 10_000;

export interface StoreReport extends FsckReport {
  readonly largeContents: number;
}

export async function checkStore({ files }: Host, directory: string): Promise<Result<StoreReport, LogFault>> {
  const large = await readLargeBlobs(files, directory);
  const unlisted: readonly LogFault[] = large.ok
    ? []
    : [{ file: large.error.path, offset: 0, position: null, message: large.error.message }];
  const hasElsewhere = large.ok ? { hasElsewhere: large.value.has.bind(large.value) } : {};
  const report = await fsck({ files, directory, folds: [vcsFold], ...hasElsewhere });
  if (!report.ok) return report;
  const faults = [...report.value.faults, ...unlisted];
  let [contents, bytes] = [0, report.value.bytes];
  for (const id of large.ok ? large.value.ids() : []) {
    const checked = large.ok ? await large.value.check(id) : null;
    if (checked === null) continue;
    contents += 1;
    if (checked.ok) {
      bytes += checked.value;
      continue;
    }
    const { error } = checked;
    const message = error.kind === "mismatch" ? "the bytes do not match their id" : "it cannot be read";
    faults.push({ file: join(largeDirectory(directory), id), offset: 0, position: null, message });
  }
  const { unfinished, strays } = await otherLargeFiles(files, directory);
  const notes = [
    ...report.value.notes,
    ...unfinished.map((path) => `${path} is unfinished: it is being sent, or the next writer removes it`),
    ...strays.map((path) => `${path} is no content of the store`),
  ];
  return ok({ ...report.value, bytes, faults, notes: notes.slice(0, notesMax), largeContents: contents });
}
