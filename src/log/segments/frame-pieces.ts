// Memory for frames: cut from large pieces one behind another, so that neighbours are written as one. A piece whose frames are durable
// stays readable for a while, since what was just committed is what others merge with, and is then used again. Invariant: bytes of
// a frame never change hands while it waits for its flush.

import { assert } from "../../base/assert.ts";

/** What a frame lies in; null for a large one that has its memory to itself. */
export interface Piece {
  readonly bytes: Buffer;
  used: number;
  /** Frames in it that are not durable yet. */
  frames: number;
  /** What of it stands where in the log. */
  readonly runs: Run[];
}

/** Bytes that lie behind one another in the piece and in the segment's file. */
interface Run {
  readonly segment: number;
  readonly fileOffset: number;
  readonly from: number;
  length: number;
}

const pieceBytes = 1024 * 1024;
/** Of the first: many a log is opened for a few records. */
const firstPieceBytes = 64 * 1024;

export class FramePieces {
  #current: Piece = newPiece(firstPieceBytes);
  /** Full and durable, the newest last. */
  readonly #recent: Piece[] = [];
  readonly #free: Piece[] = [];
  readonly #recentMax: number;

  /** `keptBytes`: of durable frames, in whole pieces; below one piece nothing can be read. */
  constructor(keptBytes: number) {
    this.#recentMax = Math.floor(keptBytes / pieceBytes);
  }

  /** `length` bytes of any content. */
  take(length: number): { readonly bytes: Buffer; readonly piece: Piece | null } {
    if (length > pieceBytes / 4) return { bytes: Buffer.allocUnsafeSlow(length), piece: null };
    if (this.#current.used + length > this.#current.bytes.length) {
      const full = this.#current;
      this.#current = this.#free.pop() ?? newPiece(pieceBytes);
      if (full.frames === 0) this.#retire(full);
    }
    const piece = this.#current;
    const from = piece.used;
    piece.used += length;
    piece.frames += 1;
    return { bytes: piece.bytes.subarray(from, piece.used), piece };
  }

  /** The frame is durable and stands there. */
  settled({ bytes, piece }: { readonly bytes: Buffer; readonly piece: Piece | null }, segment: number, offset: number) {
    if (piece === null) return;
    assert(piece.frames > 0, "a frame is settled once");
    const [from, last] = [bytes.byteOffset, piece.runs.at(-1)];
    const goesOn =
      last !== undefined &&
      last.segment === segment &&
      last.fileOffset + last.length === offset &&
      last.from + last.length === from;
    if (goesOn) last.length += bytes.length;
    else piece.runs.push({ segment, fileOffset: offset, from, length: bytes.length });
    piece.frames -= 1;
    if (piece.frames === 0 && piece !== this.#current) this.#retire(piece);
  }

  /** A copy of what the plain segment's file has there, if that is still in memory. */
  recent(segment: number, offset: number, length: number): Uint8Array | null {
    if (this.#recentMax === 0) return null;
    const found = copyOf(this.#current, segment, offset, length);
    if (found !== null) return found;
    for (let index = this.#recent.length - 1; index >= 0; index -= 1) {
      const older = copyOf(this.#recent[index]!, segment, offset, length);
      if (older !== null) return older;
    }
    return null;
  }

  #retire(piece: Piece): void {
    this.#recent.push(piece);
    const oldest = this.#recent.length > this.#recentMax ? this.#recent.shift() : undefined;
    if (oldest === undefined || oldest.bytes.length < pieceBytes) return;
    oldest.used = 0;
    oldest.runs.length = 0;
    this.#free.push(oldest);
  }
}

function copyOf({ bytes, runs }: Piece, segment: number, offset: number, length: number): Uint8Array | null {
  for (const run of runs) {
    const skipped = offset - run.fileOffset;
    if (run.segment !== segment || skipped < 0 || skipped + length > run.length) continue;
    return new Uint8Array(bytes.subarray(run.from + skipped, run.from + skipped + length));
  }
  return null;
}

function newPiece(length: number): Piece {
  return { bytes: Buffer.allocUnsafeSlow(length), used: 0, frames: 0, runs: [] };
}
