// Frames on the store's socket: length of the body (u32, little-endian), kind (u8), the request's number (u32), body.
// A body that arrived in one piece is handed on as a view of what was received: nothing is copied on the way to the log.

import { Packr } from "msgpackr";
import { err, ok, type Result } from "../../base/result.ts";

export const frameHeaderBytes = 9;

/** What a frame's body is. */
export const FRAME = {
  /** msgpack: the first frame of each side. */
  hello: 1,
  /** msgpack: a request. */
  ask: 2,
  /** A commit: see `commit-frame.ts`. */
  commit: 3,
  /** Bytes of a content or a list: of an upload under the upload's number, of an answer under the request's. */
  part: 4,
  /** msgpack: the end of a request. */
  answer: 5,
  /** msgpack: why the server closes the connection. */
  bye: 6,
} as const;

export type FrameKind = (typeof FRAME)[keyof typeof FRAME];

export interface FrameHead {
  readonly bytes: number;
  /** Not yet known to be a `FrameKind`. */
  readonly kind: number;
  readonly id: number;
}

export interface Frame {
  readonly kind: number;
  readonly id: number;
  readonly body: Buffer;
}

export const requestIdMax = 0xffff_ffff;

// Plain msgpack maps: frames are read in any order, without shared state.
const packr = new Packr({ useRecords: false, moreTypes: false, mapsAsObjects: true, int64AsType: "number" });

export function packFrame(kind: FrameKind, id: number, value: unknown): Buffer {
  return rawFrame(kind, id, [packr.pack(value)]);
}

export function rawFrame(kind: FrameKind, id: number, parts: readonly Uint8Array[]): Buffer {
  let bytes = 0;
  for (const part of parts) bytes += part.byteLength;
  const frame = Buffer.allocUnsafe(frameHeaderBytes + bytes);
  writeFrameHead(frame, { bytes, kind, id });
  let at = frameHeaderBytes;
  for (const part of parts) {
    frame.set(part, at);
    at += part.byteLength;
  }
  return frame;
}

export function writeFrameHead(into: Buffer, { bytes, kind, id }: FrameHead): void {
  into.writeUInt32LE(bytes, 0);
  into.writeUInt8(kind, 4);
  into.writeUInt32LE(id, 5);
}

export function packValue(value: unknown): Buffer {
  return packr.pack(value);
}

export function unpackBody(body: Uint8Array): Result<unknown, string> {
  try {
    return ok(packr.unpack(body));
  } catch (error) {
    return err(error instanceof Error ? error.message : String(error));
  }
}
