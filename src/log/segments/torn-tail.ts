// Tells a torn tail from damage. A bad frame is damage when a later valid frame was written after the bad one had become
// durable; frames of the same unfinished flush do not prove that, for a crash may keep them and lose the one before.

import { ok } from "../../base/result.ts";
import type { FileResult } from "../../host/files.ts";
import type { ByteWindow } from "./byte-window.ts";
import { FRAME_MAGIC } from "./frame.ts";
import { type Cursor, type Frame, readFrame } from "./walk.ts";

/** A frame after `bad` that proves frame `bad.sequence` was once whole; null if everything from there on is a torn tail. */
export async function findProof(window: ByteWindow, seed: number, bad: Cursor): FileResult<Frame | null> {
  let from = bad.offset + 1;
  for (;;) {
    const candidate = await findMagic(window, from);
    if (!candidate.ok) return candidate;
    if (candidate.value === null) return ok(null);
    const frame = await readFrame(window, seed, candidate.value);
    if (!frame.ok) return frame;
    if (frame.value === null) from = candidate.value + 1;
    else if (frame.value.header.durableSequence > bad.sequence) return frame;
    else from = frame.value.next.offset;
  }
}

async function findMagic(window: ByteWindow, from: number): FileResult<number | null> {
  let at = from;
  while (at + FRAME_MAGIC.length <= window.end) {
    const loaded = await window.load(at, FRAME_MAGIC.length);
    if (!loaded.ok) return loaded;
    const found = loaded.value.indexOf(FRAME_MAGIC);
    if (found !== -1) return ok(at + found);
    // The magic may straddle two chunks.
    at += Math.max(1, loaded.value.length - FRAME_MAGIC.length + 1);
  }
  return ok(null);
}
