// Files that count what is done to them, for tests of how often a log writes, flushes, reads and opens.

import { ok } from "../../base/result.ts";
import type { FileHandle, Files } from "../../host/files.ts";

export interface FileCounts {
  appends: number;
  /** Durable appends are among them. */
  syncs: number;
  opens: number;
  closes: number;
  /** Most bytes asked for by one read of an open file. */
  readBytesMax: number;
}

export interface WatchedFiles {
  readonly files: Files;
  /** The counts since the last call. */
  take(): FileCounts;
}

export function watchedFiles(inner: Files): WatchedFiles {
  let counts = noCounts();
  const watched = (handle: FileHandle, durable: boolean): FileHandle => ({
    ...handle,
    append(chunks) {
      counts.appends += 1;
      if (durable) counts.syncs += 1;
      return handle.append(chunks);
    },
    sync() {
      counts.syncs += 1;
      return handle.sync();
    },
    read(offset, length) {
      counts.readBytesMax = Math.max(counts.readBytesMax, length);
      return handle.read(offset, length);
    },
    close() {
      counts.closes += 1;
      return handle.close();
    },
  });
  return {
    files: {
      ...inner,
      async open(path, mode, options) {
        const opened = await inner.open(path, mode, options);
        if (!opened.ok) return opened;
        counts.opens += 1;
        return ok(watched(opened.value, options?.durable ?? false));
      },
    },
    take() {
      const taken = counts;
      counts = noCounts();
      return taken;
    },
  };
}

function noCounts(): FileCounts {
  return { appends: 0, syncs: 0, opens: 0, closes: 0, readBytesMax: 0 };
}
