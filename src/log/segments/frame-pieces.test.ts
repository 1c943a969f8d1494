// Frames keep their bytes until they are durable, and can be read for a while after; then their memory is used again.

import { expect, test } from "vitest";
import { FramePieces } from "./frame-pieces.ts";

const MIB = 1024 * 1024;
const frameBytes = 64 * 1024;

/** Writes frames one behind the other into segment 0, each full of its number, and settles each at once. */
function written(pieces: FramePieces, count: number): readonly Buffer[] {
  return Array.from({ length: count }, (_, number) => {
    const frame = pieces.take(frameBytes);
    frame.bytes.fill(number);
    pieces.settled(frame, 0, number * frameBytes);
    return frame.bytes;
  });
}

const numberAt = (pieces: FramePieces, frame: number): number | null =>
  pieces.recent(0, frame * frameBytes + 5, 100)?.[0] ?? null;

test("what was written last is read from memory, what came long before is not", () => {
  const pieces = new FramePieces(2 * MIB);
  written(pieces, 200);
  const found = Array.from({ length: 200 }, (_, frame) => numberAt(pieces, frame));
  const oldest = found.findIndex((number) => number !== null);
  // Two full pieces of sixteen frames, and what is in the third.
  expect([oldest >= 200 - 3 * 16 && oldest < 200 - 2 * 16, found.slice(oldest)]).toEqual([
    true,
    Array.from({ length: 200 - oldest }, (_, index) => oldest + index),
  ]);
});

test("a range over several frames is read, one that goes on elsewhere in the file is not, nor one of another segment", () => {
  const pieces = new FramePieces(MIB);
  const [first, second, third] = [pieces.take(100), pieces.take(100), pieces.take(100)];
  for (const [index, { bytes }] of [first, second, third].entries()) bytes.fill(index + 1);
  pieces.settled(first, 7, 1_000);
  pieces.settled(second, 7, 1_100);
  pieces.settled(third, 8, 48);
  const read = (segment: number, offset: number) => pieces.recent(segment, offset, 100)?.join("").slice(48, 52) ?? null;
  expect([read(7, 1_050), read(7, 1_101), read(8, 48), read(7, 999), read(9, 1_000)]).toEqual([
    "1122",
    null,
    "3333",
    null,
    null,
  ]);
});

test("the bytes of a frame that waits are its own, however much is written after it", () => {
  const pieces = new FramePieces(0);
  const waiting = pieces.take(frameBytes);
  waiting.bytes.fill(0xee);
  const memory = new Set(written(pieces, 400).map(({ buffer }) => buffer));
  expect([waiting.bytes.every((byte) => byte === 0xee), memory.size < 6]).toEqual([true, true]);
});

test("a copy that was read stays as it was", () => {
  const pieces = new FramePieces(MIB);
  written(pieces, 4);
  const copy = pieces.recent(0, 0, 10);
  written(pieces, 400);
  expect(copy).toEqual(new Uint8Array(10));
});
