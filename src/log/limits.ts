// Limits of a log. The ones a store may choose for itself are below those of the format, which every reader accepts.

export interface LogLimits {
  /** A segment that has reached this is closed and a new one begun; one larger batch gets a segment for itself. */
  readonly segmentBytesMax: number;
  /** One batch as stored: records, blobs and their headers. */
  readonly batchBytesMax: number;
  readonly recordBytesMax: number;
  /** What one write and flush gathers from waiting batches. */
  readonly groupBytesMax: number;
  /** Bytes read at once when a segment is walked. */
  readonly chunkBytes: number;
  /** Segments kept open for reading. */
  readonly readHandlesMax: number;
  /** Of what was written last, in memory, so that reading it costs no way to the disk; 0: nothing. In steps of a MiB. */
  readonly writtenBytesKept: number;
  /** Of small contents that were read last. */
  readonly readBytesKept: number;
}

const MIB = 1024 * 1024;

/** Largest payload of a frame in format version 1: a length beyond it is damage, whatever the store's own limits. */
export const framePayloadBytesMax = 64 * MIB;

/** One part of a fold in a checkpoint. */
export const checkpointPartBytesMax = MIB;

/** Segments in one directory: some 6 TiB at the usual segment size. */
export const segmentsMax = 100_000;

export const LOG_LIMITS: LogLimits = {
  segmentBytesMax: 64 * MIB,
  batchBytesMax: framePayloadBytesMax,
  recordBytesMax: 32 * MIB,
  groupBytesMax: 16 * MIB,
  chunkBytes: MIB,
  readHandlesMax: 64,
  // A few tenths of a second of full load: what is changed again is nearly always among it.
  writtenBytesKept: 16 * MIB,
  readBytesKept: 8 * MIB,
};
