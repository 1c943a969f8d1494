// Every way a log's bytes can be wrong: a torn tail is cut off and nothing else is, damage is named and never passed over.

import { beforeEach, describe, expect, test } from "vitest";
import { unwrap } from "../../base/result.ts";
import { at, HELLO, readAll, record, records, storedRecord } from "../../testing/contract/log-under-test.ts";
import { type LogStore, logStore, type Snapshot } from "../../testing/log/log-store.ts";
import { simHost } from "../../testing/sim/host.ts";
import { frameHeaderBytes } from "./frame.ts";
import { segmentHeaderBytes } from "./segment-header.ts";

let store: LogStore;
let other: LogStore;
beforeEach(() => {
  const host = simHost({ seed: 1 });
  store = logStore(host, "/state/log");
  other = logStore(host, "/state/other");
});

/** Appends each list as a batch with a flush of its own; the bytes as they are before the log is closed. */
async function written(batches: readonly (readonly unknown[])[], limits = {}): Promise<Snapshot> {
  const log = unwrap(await store.open(limits), "open");
  for (const batch of batches) unwrap(await log.append(records(...batch), log.end), "append");
  const snapshot = await store.snapshot();
  await log.close();
  return snapshot;
}

function only(snapshot: Snapshot): { readonly path: string; readonly bytes: Buffer } {
  const [[path, bytes] = ["", Buffer.alloc(0)]] = snapshot;
  return { path, bytes };
}

/** Where each frame of the file begins, by the documented layout, and where the last ends. */
function frameStarts(bytes: Buffer): readonly number[] {
  const starts = [segmentHeaderBytes];
  for (let start = segmentHeaderBytes; start < bytes.length; starts.push(start)) {
    start += frameHeaderBytes + bytes.readUInt32LE(start + 4);
  }
  return starts;
}

function flipped(bytes: Buffer, offset: number, mask = 0xff): Buffer {
  const copy = Buffer.from(bytes);
  copy.writeUInt8(copy.readUInt8(offset) ^ mask, offset);
  return copy;
}

describe("torn tail", () => {
  test("cut at every byte of the last frame, the batch is gone as a whole and all before it is there", async () => {
    const { path, bytes } = only(await written([["a", "b"], ["c"], ["lost", "both"]]));
    const [, , start = 0, end = 0] = frameStarts(bytes);
    expect(end).toBe(bytes.length);
    for (let cut = start; cut < end; cut += 1) {
      await store.restore(new Map([[path, bytes.subarray(0, cut)]]));
      const tail = cut === start ? null : { kind: "frame", file: path, offset: start, bytes: cut - start };
      const reader = unwrap(await store.openReader(), "reader");
      const seen = await readAll(reader);
      await reader.close();
      const size = only(await store.snapshot()).bytes.length;
      expect({ cut, tail: reader.tornTail, seen, size }).toEqual({
        cut,
        tail,
        seen: [storedRecord(0, "a"), storedRecord(1, "b"), storedRecord(2, "c")],
        size: cut,
      });
      const log = unwrap(await store.open(), "open");
      const mended = only(await store.snapshot()).bytes;
      unwrap(await log.append(records("d"), at(3)), "append");
      await log.close();
      const again = unwrap(await store.openReader(), "again");
      const all = await readAll(again);
      await again.close();
      expect({ cut, tail: log.tornTail, mended: mended.equals(bytes.subarray(0, start)), all }).toEqual({
        cut,
        tail,
        mended: true,
        all: [storedRecord(0, "a"), storedRecord(1, "b"), storedRecord(2, "c"), storedRecord(3, "d")],
      });
    }
  });

  test("zeros and noise where the last frame should be are a torn tail", async () => {
    const { path, bytes } = only(await written([["a"], ["lost"]]));
    const [, start = 0] = frameStarts(bytes);
    for (const fill of [0, 0x9e, 0x53]) {
      await store.restore(new Map([[path, Buffer.concat([bytes.subarray(0, start), Buffer.alloc(5000, fill)])]]));
      const log = unwrap(await store.open({ chunkBytes: 100 }), "open");
      expect([log.end, log.tornTail?.bytes]).toEqual([1, 5000]);
      await log.close();
    }
  });

  test("a hole before frames of the same unfinished flush is a torn tail, although those frames are whole", async () => {
    const log = unwrap(await store.open(), "open");
    unwrap(await log.append(records("a"), at(0)), "append");
    await Promise.all([
      log.append(records("b"), at(1)),
      log.append(records("c"), at(2)),
      log.append(records("d"), at(3)),
    ]);
    const { path, bytes } = only(await store.snapshot());
    await log.close();
    const [, second = 0, third = 0] = frameStarts(bytes);
    const holed = Buffer.from(bytes).fill(0, second + 10, third);
    await store.restore(new Map([[path, holed]]));
    const again = unwrap(await store.open(), "reopen");
    const all = await readAll(again);
    await again.close();
    expect([again.tornTail, all]).toEqual([
      { kind: "frame", file: path, offset: second, bytes: bytes.length - second },
      [storedRecord(0, "a")],
    ]);
  });

  test("a segment whose header was never finished is removed, and the log goes on", async () => {
    const snapshot = await written([["a".repeat(300)], ["b".repeat(300)]], { segmentBytesMax: 500 });
    const [first = ["", Buffer.alloc(0)], second = ["", Buffer.alloc(0)]] = snapshot;
    for (const cut of [0, 1, 11, 12, 63]) {
      await store.restore(new Map([first, [second[0], second[1].subarray(0, cut)]]));
      await store.begun(1);
      const reader = unwrap(await store.openReader(), "reader");
      await reader.close();
      const log = unwrap(await store.open({ segmentBytesMax: 500 }), "open");
      unwrap(await log.append(records("c"), at(1)), "append");
      await log.close();
      expect([cut, reader.end, reader.tornTail, log.tornTail, log.end]).toEqual([
        cut,
        1,
        { kind: "file", file: second[0], offset: 0, bytes: cut },
        reader.tornTail,
        2,
      ]);
    }
  });

  test("the first segment of all without its header is a log that never began", async () => {
    const { path, bytes } = only(await written([]));
    await store.restore(new Map([[path, bytes.subarray(0, 40)]]));
    await store.begun(0);
    const log = unwrap(await store.open(), "open");
    unwrap(await log.append(records("a"), at(0)), "append");
    expect(await readAll(log)).toEqual([storedRecord(0, "a")]);
    await log.close();
  });

  test("frames inside a blob of the torn batch prove nothing", async () => {
    const inner = unwrap(await other.open(), "open");
    for (let index = 0; index < 5; index += 1) unwrap(await inner.append(records("inner"), at(index)), "append");
    const { bytes: innerBytes } = only(await other.snapshot());
    await inner.close();
    const { path, bytes } = only(await written([["a"], [innerBytes]]));
    await store.restore(new Map([[path, bytes.subarray(0, -1)]]));
    const log = unwrap(await store.open(), "open");
    expect([log.end, log.tornTail?.kind]).toEqual([1, "frame"]);
    await log.close();
  });
});

describe("damage", () => {
  test("a flipped byte anywhere before the last frame is named with its file, offset and position", async () => {
    const { path, bytes } = only(await written([["first"], ["second", "third"], ["last"]]));
    const [first = 0, second = 0, last = 0] = frameStarts(bytes);
    for (let offset = 0; offset < last; offset += 1) {
      await store.restore(new Map([[path, flipped(bytes, offset)]]));
      const verdicts = [await store.openReader(), await store.open()];
      const frame = offset < first ? 0 : offset < second ? first : second;
      const position = offset < second ? 0 : 1;
      const error = { kind: "damaged", file: path, offset: frame, position, message: expect.any(String) };
      expect([offset, ...verdicts]).toEqual([offset, { ok: false, error }, { ok: false, error }]);
    }
    expect(only(await store.snapshot()).bytes.length).toBe(bytes.length);
  });

  test("a flipped bit in a batch that a clean end sealed is damage, though it is the last", async () => {
    await written([["a"], ["b"]]);
    const { path, bytes } = only(await store.snapshot());
    const [, second = 0, seal = 0] = frameStarts(bytes);
    for (let offset = second; offset < seal; offset += 1) {
      await store.restore(new Map([[path, flipped(bytes, offset, 1)]]));
      const opened = await store.open();
      expect([offset, opened]).toEqual([
        offset,
        { ok: false, error: { kind: "damaged", file: path, offset: second, position: 1, message: expect.any(String) } },
      ]);
    }
  });

  test("bytes that are missing or doubled in the middle are damage", async () => {
    const { path, bytes } = only(await written([["a"], ["b"], ["c"], ["d"]]));
    const [, second = 0, third = 0, fourth = 0] = frameStarts(bytes);
    const cases = {
      withoutFrame: Buffer.concat([bytes.subarray(0, second), bytes.subarray(third)]),
      withoutByte: Buffer.concat([bytes.subarray(0, second + 9), bytes.subarray(second + 10)]),
      doubled: Buffer.concat([bytes.subarray(0, third), bytes.subarray(second)]),
      swapped: Buffer.concat([
        bytes.subarray(0, second),
        bytes.subarray(third, fourth),
        bytes.subarray(second, third),
        bytes.subarray(fourth),
      ]),
    };
    const verdicts: unknown[] = [];
    for (const [name, content] of Object.entries(cases)) {
      await store.restore(new Map([[path, content]]));
      const opened = await store.open();
      verdicts.push([name, opened.ok ? "ok" : opened.error]);
    }
    const damaged = (offset: number, position: number) => ({
      kind: "damaged",
      file: path,
      offset,
      position,
      message: expect.any(String),
    });
    expect(verdicts).toEqual([
      ["withoutFrame", damaged(second, 1)],
      ["withoutByte", damaged(second, 1)],
      ["doubled", damaged(third, 2)],
      ["swapped", damaged(second, 1)],
    ]);
  });

  test("a segment before the last that is missing, cut or another log's is damage", async () => {
    const limits = { segmentBytesMax: 300 };
    const data = ["a", "b", "c"].map((letter) => [letter.repeat(200)]);
    const snapshot = await written(data, limits);
    const [first, second, third] = [...snapshot];
    const foreign = unwrap(await other.open(limits), "open");
    for (const batch of data) unwrap(await foreign.append(records(...batch), foreign.end), "append");
    const [, foreignSecond] = [...(await other.snapshot()).values()];
    await foreign.close();
    if (first === undefined || second === undefined || third === undefined || foreignSecond === undefined)
      throw new Error("three");
    const cases: Record<string, Snapshot> = {
      missing: new Map([first, third]),
      missingFirst: new Map([second, third]),
      cut: new Map([first, [second[0], second[1].subarray(0, -1)], third]),
      cutAtFrame: new Map([first, [second[0], second[1].subarray(0, segmentHeaderBytes)], third]),
      empty: new Map([first, [second[0], Buffer.alloc(0)], third]),
      foreign: new Map([first, [second[0], foreignSecond], third]),
    };
    const verdicts: unknown[] = [];
    for (const [name, files] of Object.entries(cases)) {
      await store.restore(files);
      const opened = await store.openReader();
      verdicts.push([name, opened.ok ? "ok" : opened.error]);
    }
    const damaged = (file: string, offset: number, position: number) => ({
      kind: "damaged",
      file,
      offset,
      position,
      message: expect.any(String),
    });
    expect(verdicts).toEqual([
      ["missing", damaged(second[0], 0, 1)],
      ["missingFirst", damaged(first[0], 0, 0)],
      ["cut", damaged(second[0], segmentHeaderBytes, 1)],
      ["cutAtFrame", damaged(second[0].replace("0001-00000001", "0001-00000002"), 0, 1)],
      ["empty", damaged(second[0], 0, 1)],
      ["foreign", damaged(second[0], 0, 1)],
    ]);
  });

  test("segments that are gone from the end, and a directory without any, are damage and never a new log", async () => {
    const limits = { segmentBytesMax: 300 };
    const snapshot = await written(
      ["a", "b", "c"].map((letter) => [letter.repeat(200)]),
      limits,
    );
    const [first, second, third] = [...snapshot];
    if (first === undefined || second === undefined || third === undefined) throw new Error("three");
    const cases: Record<string, Snapshot> = {
      lastGone: new Map([first, second]),
      twoGone: new Map([first]),
      allGone: new Map(),
      lastEmptied: new Map([first, second, [third[0], Buffer.alloc(0)]]),
    };
    const verdicts: unknown[] = [];
    for (const [name, files] of Object.entries(cases)) {
      await store.restore(files);
      const [read, open] = [await store.openReader(limits), await store.open(limits)];
      verdicts.push([name, read.ok || read.error, open.ok || open.error, (await store.snapshot()).size]);
    }
    const verdict = (name: string, [file]: readonly [string, Buffer], position: number, left: number) => {
      const error = { kind: "damaged", file, offset: 0, position, message: expect.any(String) };
      return [name, error, error, left];
    };
    expect(verdicts).toEqual([
      verdict("lastGone", third, 2, 2),
      verdict("twoGone", second, 1, 1),
      verdict("allGone", first, 0, 0),
      verdict("lastEmptied", third, 2, 3),
    ]);
  });

  test("a newer format is not called damage", async () => {
    const { path, bytes } = only(await written([["a"]]));
    const newer = Buffer.from(bytes);
    newer.writeUInt32LE(2, 8);
    // A newer program's header has a checksum of its own.
    newer.fill(7, 60, 64);
    await store.restore(new Map([[path, newer]]));
    const expected = { ok: false, error: { kind: "newer", file: path, message: expect.stringContaining("version 2") } };
    expect([await store.open(), await store.openReader()]).toEqual([expected, expected]);
  });

  test("bytes that go bad while the log is open are found when they are read", async () => {
    const log = unwrap(await store.open(), "open");
    unwrap(await log.append({ records: [record("a")], blobs: [HELLO] }, at(0)), "append");
    const { path, bytes } = only(await store.snapshot());
    await store.restore(new Map([[path, flipped(bytes, bytes.length - 1)]]));
    expect(await log.blob(HELLO.id)).toEqual({
      ok: false,
      error: { kind: "damaged", id: HELLO.id, message: expect.stringContaining(path) },
    });
    await expect(readAll(log)).rejects.toThrow(`${path} at byte ${segmentHeaderBytes} (record 0)`);
    await log.close();
  });
});
