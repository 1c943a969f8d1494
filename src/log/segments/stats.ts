// The log in numbers, from what is in memory.

import type { LogSource } from "./reading.ts";

export interface LogStats {
  /** Durable records. */
  readonly records: number;
  readonly blobs: number;
  /** Of the blobs themselves, before any compression. */
  readonly blobBytes: number;
  readonly segments: { readonly plain: number; readonly sealed: number };
  /** Of the files with the records, and with plain segments their blobs too. */
  readonly segmentBytes: number;
}

export function statsOf({ segments, index }: Pick<LogSource, "segments" | "index">): LogStats {
  const sealed = segments.filter(({ form }) => form.kind === "sealed").length;
  return {
    records: segments.at(-1)?.end.position ?? 0,
    blobs: index.count,
    blobBytes: index.bytes,
    segments: { plain: segments.length - sealed, sealed },
    segmentBytes: segments.reduce((sum, { end }) => sum + end.offset, 0),
  };
}
