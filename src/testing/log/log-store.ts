// A segment log in a directory of any host, and its files as bytes: what tests of damage cut, flip and put back.

import { type Result, unwrap } from "../../base/result.ts";
import type { Files } from "../../host/files.ts";
import type { Host } from "../../host/host.ts";
import type { LogLimits } from "../../log/limits.ts";
import type { OpenError } from "../../log/log.ts";
import { openLogReader, openSegmentLog, type SegmentLog } from "../../log/segments/segment-log.ts";

export interface LogStore {
  open(limits?: Partial<LogLimits>, files?: Files): Promise<Result<SegmentLog, OpenError>>;
  openReader(limits?: Partial<LogLimits>): Promise<Result<SegmentLog, OpenError>>;
  /** Path → content of every file beside the log's segments, in order. */
  snapshot(): Promise<Snapshot>;
  /** Makes the segments exactly these. */
  restore(snapshot: Snapshot): Promise<void>;
}

export type Snapshot = ReadonlyMap<string, Buffer>;

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
    open: (limits = {}, through = files) => openSegmentLog({ files: through, locks, random, directory, limits }),
    openReader: (limits = {}) => openLogReader({ files, directory, limits }),
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
  };
}
