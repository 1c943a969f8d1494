// The bytes of a log, read by the layout documented in segment-header.ts and frame.ts and nothing else of theirs.

import { crc32 } from "node:zlib";
import { expect, test } from "vitest";
import { unwrap } from "../../base/result.ts";
import { at, HELLO, record } from "../../testing/contract/log-under-test.ts";
import { logStore } from "../../testing/log/log-store.ts";
import { simHost } from "../../testing/sim/host.ts";

test("a segment is a header and frames, each with its numbers and checksums in their documented places", async () => {
  const host = simHost({ seed: 1 });
  const random = { ...host.random, letters: (count: number) => "abcdefghijklmnopqrstuvwxyz".slice(0, count) };
  const store = logStore({ ...host, random }, "/log");
  const log = unwrap(await store.open(), "open");
  unwrap(await log.append({ records: [record(1), record(2)], blobs: [HELLO] }, at(0)), "append");
  await log.close();
  const [bytes = Buffer.alloc(0)] = (await store.snapshot()).values();

  // msgpack: array of 4, string of 14, version 1, time as a double, then the data.
  const time = Buffer.alloc(9, 0xcb);
  time.writeDoubleBE(1_790_000_000_000, 1);
  const recordOf = (data: number) =>
    Buffer.concat([
      Buffer.from("94ae", "hex"),
      Buffer.from("thing_happened"),
      Buffer.from([1]),
      time,
      Buffer.from([data]),
    ]);
  const sized = (content: Buffer) => Buffer.concat([u32(content.length), content]);
  const blob = Buffer.concat([Buffer.from([20]), Buffer.from(HELLO.id, "hex"), sized(Buffer.from("hello\n"))]);
  const payload = Buffer.concat([sized(recordOf(1)), sized(recordOf(2)), blob]);

  const headerStart = Buffer.concat([
    Buffer.from("SKEINLOG"),
    u32(1),
    u32(0),
    u64(0),
    u64(0),
    Buffer.from("abcdefghijklmnop"),
    Buffer.alloc(12),
  ]);
  const seed = crc32(headerStart);
  const frame = (content: Buffer, counts: readonly [number, number], numbers: readonly [number, number, number]) => {
    const start = Buffer.concat([
      Buffer.from("9e534bf1", "hex"),
      u32(content.length),
      u32(crc32(content)),
      ...counts.map(u32),
      ...numbers.map(u64),
    ]);
    return Buffer.concat([start, u32(crc32(start, seed)), content]);
  };
  const expected = Buffer.concat([
    headerStart,
    u32(seed),
    frame(payload, [2, 1], [0, 0, 0]),
    // The closing frame: number 1, everything below 1 durable, the next record is 2.
    frame(Buffer.alloc(0), [0, 0], [1, 1, 2]),
  ]);
  expect(bytes.toString("hex")).toBe(expected.toString("hex"));
});

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function u64(value: number): Buffer {
  return Buffer.concat([u32(value % 2 ** 32), u32(Math.floor(value / 2 ** 32))]);
}
