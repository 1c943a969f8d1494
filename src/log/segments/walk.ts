// Walks the frames of one segment in order and checks each: checksum, number, position. It stops at the first that is
// not right and says so; whether that is a torn tail or damage is the caller's question.

import { crc32 } from "node:zlib";
import { unreachable } from "../../base/assert.ts";
import { ok } from "../../base/result.ts";
import type { FileError, FileResult } from "../../host/files.ts";
import type { ByteWindow } from "./byte-window.ts";
import { decodeFrameHeader, type FrameHeader, frameHeaderBytes, type PayloadParts, splitPayload } from "./frame.ts";

/** A place between two frames: where the next begins, its number, and its first record's position. */
export interface Cursor {
  readonly offset: number;
  readonly sequence: number;
  readonly position: number;
}

export interface Frame extends PayloadParts {
  readonly header: FrameHeader;
  readonly offset: number;
  /** Offset of the payload in the file: a blob's span counts from here. */
  readonly payloadOffset: number;
  readonly next: Cursor;
}

export type WalkEvent =
  | { readonly kind: "frames"; readonly frames: readonly Frame[] }
  | { readonly kind: "end"; readonly at: Cursor }
  /** The bytes at the cursor are no whole frame. */
  | { readonly kind: "broken"; readonly at: Cursor; readonly reason: string }
  /** A whole frame stands at the cursor, but not the one that belongs there: no interrupted write does that. */
  | { readonly kind: "misplaced"; readonly at: Cursor; readonly reason: string }
  | { readonly kind: "failed"; readonly error: FileError };

/** Yields what one window holds at a time, then one last event of another kind. */
export async function* walkFrames(window: ByteWindow, seed: number, from: Cursor): AsyncGenerator<WalkEvent> {
  let at = from;
  for (;;) {
    const frames: Frame[] = [];
    let step = parseFrame(window, seed, at.offset);
    while (step.kind === "frame" && isNext(step.frame, at)) {
      frames.push(step.frame);
      at = step.frame.next;
      step = parseFrame(window, seed, at.offset);
    }
    if (frames.length > 0) yield { kind: "frames", frames };
    switch (step.kind) {
      case "need": {
        const loaded = await window.load(at.offset, step.bytes);
        if (loaded.ok) break;
        yield { kind: "failed", error: loaded.error };
        return;
      }
      case "frame":
        yield { kind: "misplaced", at, reason: misplacement(step.frame, at) };
        return;
      case "end":
        yield { kind: "end", at };
        return;
      case "broken":
        yield { kind: "broken", at, reason: step.reason };
        return;
      default:
        unreachable(step);
    }
  }
}

/** The valid frame of this segment at `offset`, whatever its number; null if there is none. */
export async function readFrame(window: ByteWindow, seed: number, offset: number): FileResult<Frame | null> {
  for (;;) {
    const step = parseFrame(window, seed, offset);
    if (step.kind === "frame") return ok(step.frame);
    if (step.kind !== "need") return ok(null);
    const loaded = await window.load(offset, step.bytes);
    if (!loaded.ok) return loaded;
  }
}

type ParseStep =
  | { readonly kind: "frame"; readonly frame: Frame }
  | { readonly kind: "need"; readonly bytes: number }
  | { readonly kind: "end" }
  | { readonly kind: "broken"; readonly reason: string };

function parseFrame(window: ByteWindow, seed: number, offset: number): ParseStep {
  if (offset === window.end) return { kind: "end" };
  const payloadOffset = offset + frameHeaderBytes;
  if (payloadOffset > window.end) return { kind: "broken", reason: "the file ends inside a frame's header" };
  const headerBytes = window.peek(offset, frameHeaderBytes);
  if (headerBytes === null) return { kind: "need", bytes: frameHeaderBytes };
  const header = decodeFrameHeader(headerBytes, seed);
  if (header === null) return { kind: "broken", reason: "a frame's header does not match its checksum" };
  const end = payloadOffset + header.payloadBytes;
  if (end > window.end) return { kind: "broken", reason: "the file ends inside a frame" };
  const payload = window.peek(payloadOffset, header.payloadBytes);
  if (payload === null) return { kind: "need", bytes: end - offset };
  if (crc32(payload) !== header.payloadChecksum)
    return { kind: "broken", reason: "a frame does not match its checksum" };
  const parts = splitPayload(payload, header);
  if (parts === null) return { kind: "broken", reason: "a frame's contents are not what its header says" };
  const next = { offset: end, sequence: header.sequence + 1, position: header.firstPosition + header.recordCount };
  return { kind: "frame", frame: { ...parts, header, offset, payloadOffset, next } };
}

function isNext({ header }: Frame, at: Cursor): boolean {
  return (
    header.sequence === at.sequence && header.firstPosition === at.position && header.durableSequence <= at.sequence
  );
}

function misplacement({ header }: Frame, at: Cursor): string {
  const found = `frame ${header.sequence} of record ${header.firstPosition}`;
  return `${found} stands where frame ${at.sequence} of record ${at.position} belongs`;
}
