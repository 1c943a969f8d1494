// The writer's bytes are msgpack as an ordinary decoder reads it, and the reader reads what an ordinary encoder writes.

import fc from "fast-check";
import { Packr } from "msgpackr";
import { expect, test } from "vitest";
import { MsgpackReader } from "./msgpack-reader.ts";
import { headBytesMax, MsgpackWriter, textBytesMax } from "./msgpack-writer.ts";

const packr = new Packr({ useRecords: false, int64AsType: "number" });

const lengths = [0, 1, 31, 32, 63, 64, 65, 255, 256, 65_535, 65_536];
const texts = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 300 }),
  fc.string({ unit: "grapheme-ascii", maxLength: 300 }),
  fc.constantFrom(...lengths.flatMap((length) => ["x".repeat(length), "ä".repeat(length)])),
);
const naturals = fc.oneof(
  fc.maxSafeNat(),
  fc.constantFrom(0, 127, 128, 255, 256, 65_535, 65_536, 2 ** 32 - 1, 2 ** 32, Number.MAX_SAFE_INTEGER),
);

test("what is written is read by any decoder, and by the reader", () => {
  fc.assert(
    fc.property(texts, naturals, fc.nat(70_000), (text, natural, length) => {
      const bytes = Buffer.alloc(textBytesMax(text) + 2 * headBytesMax + 1 + length);
      const writer = new MsgpackWriter(bytes);
      writer.array(3 + length);
      writer.text(text);
      writer.natural(natural);
      writer.null();
      for (let left = length; left > 0; left -= 1) writer.null();
      const written = bytes.subarray(0, writer.length);
      const reader = new MsgpackReader(written, 0, written.length);
      const read = [reader.array(), reader.text(70_000), reader.integer(), reader.takesNull()];
      expect([packr.unpack(written).slice(0, 3), read]).toEqual([
        [text, natural, null],
        [3 + length, text, natural, true],
      ]);
    }),
    { numRuns: 60, seed: 4 },
  );
});

test("what an ordinary encoder writes is read, inside other bytes", () => {
  fc.assert(
    fc.property(texts, naturals, fc.uint8Array({ maxLength: 300 }), (text, natural, binary) => {
      const packed = packr.pack([text, natural, Buffer.from(binary), -1]);
      const bytes = Buffer.concat([Buffer.from([0xff]), packed, Buffer.from([0xff])]);
      const reader = new MsgpackReader(bytes, 1, 1 + packed.length);
      const read = [reader.array(), reader.text(70_000), reader.integer()];
      const place = reader.binary();
      const found = place === null ? null : bytes.subarray(place.start, place.start + place.length);
      expect([read, found, reader.integer(true), reader.at]).toEqual([
        [4, text, natural],
        Buffer.from(binary),
        -1,
        1 + packed.length,
      ]);
    }),
    { numRuns: 60, seed: 5 },
  );
});

test("what is something else, too long or cut short is null", () => {
  const read = <T>(hex: string, act: (reader: MsgpackReader) => T): T => {
    const bytes = Buffer.from(hex, "hex");
    return act(new MsgpackReader(bytes, 0, bytes.length));
  };
  expect([
    // A text of three characters where two are taken, one of five of which four are there, a map, nothing.
    read("a3616263", (reader) => reader.text(2)),
    read("a561626364", (reader) => reader.text(9)),
    read("80", (reader) => reader.text(9)),
    read("", (reader) => reader.text(9)),
    // −1 where there is to be a natural number; a double with a fraction; an integer of two bytes of which one is there.
    read("ff", (reader) => reader.integer()),
    read("cb3ff8000000000000", (reader) => reader.integer()),
    read("cd01", (reader) => reader.integer()),
    read("c40201", (reader) => reader.binary()),
    read("a0", (reader) => reader.array()),
    read("a0", (reader) => reader.takesNull()),
  ]).toEqual([null, null, null, null, null, null, null, null, null, false]);
});

test("a writer without room fails instead of writing over what follows", () => {
  expect(() => new MsgpackWriter(Buffer.alloc(4)).text("12345")).toThrow("room");
  expect(() => new MsgpackWriter(Buffer.alloc(4)).raw(Buffer.alloc(5))).toThrow("room");
});
