// How a stream goes to git where others need the machine, too: in pieces that git works off in a few milliseconds, each followed by a rest.

import type { Clock } from "../../host/clock.ts";
import type { WorkedOff, Write } from "./run-fast-import.ts";

export interface Pace {
  readonly clock: Pick<Clock, "monotonicMs">;
  /** After a piece that took so many milliseconds. */
  rest(workedMs: number): Promise<void>;
}

/** One command of the stream, in parts that are not copied together where they are large. */
export type Command = readonly Uint8Array[];

/** Where pieces of one kind go. */
export interface Sink {
  /** Of the next piece; one command may have more. */
  readonly pieceBytesMax: number;
  /** False where git has ended. */
  write(piece: readonly Command[]): Promise<boolean>;
}

const pieceBytesMax = 256 * 1024;
const pacedBytesMin = 2 * 1024;
const pacedBytesFirst = 16 * 1024;
/** Whoever waits for a core waits as long as a piece takes. */
const pieceMs = 3;

export function unpaced(write: Write): Sink {
  return { pieceBytesMax, write: (piece) => writePiece(write, piece) };
}

/** What a byte costs depends on what it is, and on the repository: the next piece goes by what the one before took. */
export function paced(write: Write, workedOff: WorkedOff, { clock, rest }: Pace): Sink {
  let bytesMax = pacedBytesFirst;
  return {
    get pieceBytesMax() {
      return bytesMax;
    },
    async write(piece) {
      const fromMs = clock.monotonicMs();
      const isTaken = await writePiece(write, piece);
      await workedOff();
      const tookMs = clock.monotonicMs() - fromMs;
      const bytes = piece.reduce((sum, command) => sum + bytesOf(command), 0);
      const fitting = (bytes * pieceMs) / Math.max(tookMs, 0.1);
      bytesMax = Math.round(Math.min(pieceBytesMax, 2 * bytesMax, Math.max(pacedBytesMin, fitting)));
      await rest(tookMs);
      return isTaken;
    },
  };
}

export function bytesOf(command: Command): number {
  return command.reduce((sum, part) => sum + part.byteLength, 0);
}

/** Small parts as one: each write is a way through the kernel. */
async function writePiece(write: Write, piece: readonly Command[]): Promise<boolean> {
  let small: Uint8Array[] = [];
  for (const part of piece.flat()) {
    if (part.byteLength <= pieceBytesMax) small.push(part);
    else {
      if (small.length > 0 && !(await write(Buffer.concat(small)))) return false;
      if (!(await write(part))) return false;
      small = [];
    }
  }
  return small.length === 0 || write(Buffer.concat(small));
}
