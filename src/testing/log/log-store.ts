// A segment log in a directory of any host, and its files as bytes: what tests of damage cut, flip and put back.

import { type Result, unwrap } from "../../base/result.ts";
import type { Files } from "../../host/files.ts";
import type { Host } from "../../host/host.ts";
import type { LogLimits } from "../../log/limits.ts";
import type { OpenError } from "../../log/log.ts";
import { logFilePath, readLogFile, writeLogFile } from "../../log/segments/log-file.ts";
import { openLogReader, openSegmentLog, type SegmentLog } from "../../log/segments/segment-log.ts";

export interface LogStore {
  open(limits?: Partial<LogLimits>, files?: Files): Promise<Result<SegmentLog, OpenError>>;
  openReader(limits?: Partial<LogLimits>): Promise<Result<SegmentLog, OpenError>>;
  /** Path → content of every file beside the log's segments, in order. */
  snapshot(): Promise<Snapshot>;
  /** Makes the segments exactly these. */
  restore(snapshot: Snapshot): Promise<void>;
  /** As a crash leaves it that came before the segment of this number had its header: none before the first. */
  begun(segments: number): Promise<void>;
}

export type Snapshot = ReadonlyMap<string, Buffer>;

/** Every read goes to the disk, unless a test asks for something else. */
const fromDisk = { writtenBytesKept: 0, readBytesKept: 0 };

const entriesMax = 10_000;
const fileBytesMax = 100_000_000;

export function logStore(host: Pick<Host, "files" | "locks" | "random">, directory: string): LogStore {
  const { files, locks, random } = host;
  const segments = `${directory}/segments`;

  async function paths(): Promise<readonly string[]> {
    const entries = unwrap(await files.list(segments, entriesMax), "list");
    return entries.map((entry) => `${segments}/${entry.name}`);
  }

  return {
    open: (limits = {}, through = files) =>
      openSegmentLog({ files: through, locks, random, directory, limits: { ...fromDisk, ...limits } }),
    openReader: (limits = {}) => openLogReader({ files, directory, limits: { ...fromDisk, ...limits } }),
    async snapshot() {
      const contents = new Map<string, Buffer>();
      for (const path of await paths()) {
        contents.set(path, Buffer.from(unwrap(await files.read(path, fileBytesMax), "read")));
      }
      return contents;
    },
    async restore(snapshot) {
      for (const path of await paths()) if (!snapshot.has(path)) unwrap(await files.remove(path), "remove");
      for (const [path, bytes] of snapshot) unwrap(await files.write(path, bytes), "write");
    },
    async begun(count) {
      const said = unwrap(await readLogFile(files, directory), "read");
      if (count === 0 || said === null) unwrap(await files.remove(logFilePath(directory)), "remove");
      else unwrap(await writeLogFile(files, directory, { ...said, segments: count }), "write");
    },
  };
}
