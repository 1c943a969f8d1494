// Frames on a byte stream, cut anywhere, and what is no frame.

import { unpack } from "msgpackr";
import { describe, expect, it } from "vitest";
import { unwrap } from "../base/result.ts";
import { encodeFrame, FrameDecoder, frameBytesMax } from "./frame.ts";

const values = [
  { ask: 1, body: { kind: "commit", bytes: Buffer.from([0, 255, 7]), list: [null, true, -1, 1.5, "ä"] } },
  { notice: {} },
  { answer: 1, body: "x".repeat(300), failed: null },
];
const frames = values.map((value) => unwrap(encodeFrame(value), "encode"));
const stream = Buffer.concat(frames);

function header(length: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(length);
  return bytes;
}

function decode(...chunks: readonly Uint8Array[]): unknown[] {
  const decoder = new FrameDecoder();
  return chunks.flatMap((chunk) => unwrap(decoder.push(chunk), "decode"));
}

describe("encodeFrame", () => {
  it("is the length of a msgpack value, big-endian, and the value", () => {
    for (const [index, frame] of frames.entries()) {
      const buffer = Buffer.from(frame);
      expect([buffer.readUInt32BE(0), unpack(buffer.subarray(4))]).toEqual([buffer.length - 4, values[index]]);
    }
  });

  it("refuses a value over the limit", () => {
    expect(encodeFrame(new Uint8Array(frameBytesMax))).toEqual({
      ok: false,
      error: { kind: "frame", message: expect.stringContaining(`over the limit of ${frameBytesMax}`) },
    });
  });
});

describe("FrameDecoder", () => {
  it("gives the same values wherever the stream is cut in two", () => {
    for (let cut = 0; cut <= stream.length; cut += 1) {
      expect(decode(stream.subarray(0, cut), stream.subarray(cut))).toEqual(values);
    }
  });

  it("gives them byte by byte, and each as soon as its last byte is there", () => {
    const decoder = new FrameDecoder();
    const ends: number[] = [];
    for (const [index, byte] of stream.entries()) {
      if (unwrap(decoder.push(Uint8Array.of(byte)), "decode").length > 0) ends.push(index + 1);
    }
    expect(ends).toEqual(
      [frames[0], frames[1], frames[2]].map((_, index) => Buffer.concat(frames.slice(0, index + 1)).length),
    );
  });

  it("gives bytes that stay when the chunk they came in is used again", () => {
    const chunk = Buffer.from(unwrap(encodeFrame({ bytes: Uint8Array.of(1, 2, 3) }), "encode"));
    const [value] = decode(chunk);
    chunk.fill(0);
    expect(value).toEqual({ bytes: Buffer.from([1, 2, 3]) });
  });

  it("refuses a frame that announces too much before any of it is there, and what is not msgpack", () => {
    const refusal = (...chunks: readonly Uint8Array[]) => {
      const result = new FrameDecoder().push(Buffer.concat(chunks));
      return result.ok ? null : result.error.message;
    };
    expect([
      refusal(header(frameBytesMax)),
      refusal(header(frameBytesMax + 1)),
      refusal(Buffer.from("GET / HTTP/1.1\r\n")),
      refusal(header(0)),
      refusal(header(3), Buffer.from([0x93, 1, 2])),
      refusal(header(2), Buffer.from([1, 2])),
    ]).toEqual([
      null,
      `a frame announces ${frameBytesMax + 1} bytes`,
      `a frame announces ${0x47455420} bytes`,
      ...Array(3).fill(expect.stringContaining("a frame is not msgpack")),
    ]);
  });
});
