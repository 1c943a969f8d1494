// Framing on a byte stream: four bytes of length (unsigned, big-endian), then one msgpack value. Everything has a limit.

import { Packr } from "msgpackr";
import { err, ok, type Result } from "../base/result.ts";

/** A frame carries at most one commit's blobs; larger contents travel in several frames. */
export const frameBytesMax = 64 * 1024 * 1024;

const HEADER_BYTES = 4;
// Plain msgpack maps: frames are read by whoever connects, in any order, without shared state.
const packr = new Packr({ useRecords: false, moreTypes: false, mapsAsObjects: true });

export interface FrameError {
  readonly kind: "frame";
  readonly message: string;
}

/** One value as a frame; an error if it is larger than a frame may be. */
export function encodeFrame(value: unknown): Result<Uint8Array, FrameError> {
  const body = packr.pack(value);
  if (body.byteLength > frameBytesMax) {
    return err({
      kind: "frame",
      message: `a message of ${body.byteLength} bytes is over the limit of ${frameBytesMax}`,
    });
  }
  const frame = Buffer.allocUnsafe(HEADER_BYTES + body.byteLength);
  frame.writeUInt32BE(body.byteLength, 0);
  body.copy(frame, HEADER_BYTES);
  return ok(frame);
}

/** Values of a byte stream in order. After an error the stream is of no more use. */
export class FrameDecoder {
  #chunks: Uint8Array[] = [];
  #bytes = 0;

  push(chunk: Uint8Array): Result<readonly unknown[], FrameError> {
    this.#chunks.push(chunk);
    this.#bytes += chunk.byteLength;
    const values: unknown[] = [];
    for (;;) {
      const header = this.#peek(HEADER_BYTES);
      if (header === null) return ok(values);
      const length = header.readUInt32BE(0);
      if (length > frameBytesMax) return err({ kind: "frame", message: `a frame announces ${length} bytes` });
      if (this.#bytes < HEADER_BYTES + length) return ok(values);
      this.#take(HEADER_BYTES);
      const body = this.#take(length);
      try {
        values.push(packr.unpack(body));
      } catch (error) {
        return err({ kind: "frame", message: `a frame is not msgpack: ${String(error)}` });
      }
    }
  }

  #peek(count: number): Buffer | null {
    if (this.#bytes < count) return null;
    this.#gather(count);
    return Buffer.from(this.#chunks[0]?.subarray(0, count) ?? []);
  }

  #take(count: number): Buffer {
    this.#gather(count);
    const first = this.#chunks[0] ?? new Uint8Array();
    this.#chunks[0] = first.subarray(count);
    if (this.#chunks[0].byteLength === 0) this.#chunks.shift();
    this.#bytes -= count;
    // A copy, since the values' byte fields are views of it and outlive the chunk.
    return Buffer.from(first.subarray(0, count));
  }

  /** Joins chunks only when a whole frame is here, so that a large one is copied once. */
  #gather(count: number): void {
    if ((this.#chunks[0]?.byteLength ?? 0) >= count) return;
    let taken = 0;
    let size = 0;
    while (size < count) size += this.#chunks[taken++]?.byteLength ?? 0;
    this.#chunks.splice(0, taken, Buffer.concat(this.#chunks.slice(0, taken)));
  }
}
