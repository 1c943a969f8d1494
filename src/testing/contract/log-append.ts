// Contract of `Log.append`, `flushed` and `read`.

import { describe, expect, test } from "vitest";
import { blobIdOf } from "../../log/blob-id.ts";
import { at, collectRecords, freshStore, type MakeLog, readAll, records, storedRecord } from "./log-under-test.ts";

export function describeAppending(make: MakeLog): void {
  describe("append", () => {
    const inStore = freshStore(make);

    test("a new log is empty", () =>
      inStore(async ({ log }) => {
        expect({ end: log.end, durable: log.durable, all: await readAll(log) }).toEqual({
          end: 0,
          durable: 0,
          all: [],
        });
      }));

    test("a batch is accepted before the first await and durable when it answers", () =>
      inStore(async ({ log }) => {
        const answer = log.append(records("a", "b"), at(0));
        const accepted = { end: log.end, durable: log.durable, all: await readAll(log) };
        const first = await answer;
        expect({ accepted, first, durable: log.durable, all: await readAll(log) }).toEqual({
          accepted: { end: 2, durable: 0, all: [] },
          first: { ok: true, value: 2 },
          durable: 2,
          all: [storedRecord(0, "a"), storedRecord(1, "b")],
        });
      }));

    test("batches that were not awaited become durable in order, each with its own end", () =>
      inStore(async ({ log }) => {
        const answers: number[] = [];
        await Promise.all(
          Array.from({ length: 20 }, async (_, index) => {
            const answer = await log.append(records(index), at(index));
            if (answer.ok) answers.push(answer.value);
          }),
        );
        expect({ answers, durable: log.durable, all: await readAll(log) }).toEqual({
          answers: Array.from({ length: 20 }, (_, index) => index + 1),
          durable: 20,
          all: Array.from({ length: 20 }, (_, index) => storedRecord(index, index)),
        });
      }));

    test("an expectation that is behind or ahead is refused and nothing is written", () =>
      inStore(async ({ log }) => {
        await log.append(records("a"), at(0));
        const behind = await log.append(records("b"), at(0));
        const ahead = await log.append(records("c"), at(2));
        expect([behind, ahead, await readAll(log)]).toEqual([
          { ok: false, error: { kind: "moved", expected: 0, end: 1 } },
          { ok: false, error: { kind: "moved", expected: 2, end: 1 } },
          [storedRecord(0, "a")],
        ]);
      }));

    test("an empty batch waits its turn and changes nothing", () =>
      inStore(async ({ log }) => {
        const first = log.append(records("a"), at(0));
        const empty = await log.append(records(), at(1));
        expect([empty, log.durable, await first]).toEqual([{ ok: true, value: 1 }, 1, { ok: true, value: 1 }]);
      }));

    test("flushed resolves when all that was accepted is durable", () =>
      inStore(async ({ log }) => {
        void log.append(records("a"), at(0));
        void log.append(records("b"), at(1));
        const flushed = await log.flushed();
        expect([flushed, log.durable]).toEqual([{ ok: true, value: undefined }, 2]);
      }));
  });
  describeData(make);
  describeLimits(make);
}

function describeData(make: MakeLog): void {
  describe("read", () => {
    const inStore = freshStore(make);

    test("reads from a position to the durable end at the time of the call", () =>
      inStore(async ({ log }) => {
        await log.append(records("a", "b", "c"), at(0));
        await log.append(records("d"), at(3));
        const fromTwo = log.read(at(2));
        await log.append(records("later"), at(4));
        expect([await collectRecords(fromTwo), await readAll(log, at(5)), await readAll(log, at(9))]).toEqual([
          [storedRecord(2, "c"), storedRecord(3, "d")],
          [],
          [],
        ]);
      }));

    test("data of every kind comes back as it was", () =>
      inStore(async ({ log }) => {
        const data = {
          nothing: null,
          flags: [true, false],
          numbers: [0, -1, 1.5, 2 ** 31, -(2 ** 40), Number.MAX_SAFE_INTEGER, 1e300],
          texts: ["", "naïve 漢字 🧶", "line\nline\0", "x".repeat(70_000)],
          bytes: new Uint8Array([0, 255, 128]),
          nested: { list: [{ deep: [[]] }], empty: {} },
        };
        await log.append(records(data), at(0));
        const [read] = await readAll(log);
        expect(read).toEqual(storedRecord(0, { ...data, bytes: expect.anything() }));
        expect(read?.data).toHaveProperty("bytes", expect.objectContaining({ 0: 0, 1: 255, 2: 128, length: 3 }));
      }));

    test("what the caller changes after the call is not what was stored", () =>
      inStore(async ({ log }) => {
        const data = { list: ["a"] };
        const answer = log.append(records(data), at(0));
        data.list.push("b");
        await answer;
        expect(await readAll(log)).toEqual([storedRecord(0, { list: ["a"] })]);
      }));
  });
}

function describeLimits(make: MakeLog): void {
  describe("limits", () => {
    const inStore = freshStore(make);
    const limits = { batchBytesMax: 1000, recordBytesMax: 500 };

    test("a batch or a record over its limit is refused and nothing is written", () =>
      inStore(async ({ reopen }) => {
        const log = await reopen(limits);
        const record = await log.append(records("x".repeat(600)), at(0));
        const batch = await log.append(records("x".repeat(400), "x".repeat(400), "x".repeat(400)), at(0));
        const fits = await log.append(records("x".repeat(400), "x".repeat(400)), at(0));
        expect([record, batch, fits, log.end]).toEqual([
          { ok: false, error: { kind: "batch-too-large", bytes: expect.any(Number), bytesMax: 500 } },
          { ok: false, error: { kind: "batch-too-large", bytes: expect.any(Number), bytesMax: 1000 } },
          { ok: true, value: 2 },
          2,
        ]);
      }));

    test("blobs count towards the batch", () =>
      inStore(async ({ reopen }) => {
        const log = await reopen({ batchBytesMax: 100, recordBytesMax: 100 });
        const bytes = new Uint8Array(100);
        const id = blobIdOf(bytes, "sha1");
        // One byte for the id's length, 20 for the id, 4 for the length.
        expect([await log.append({ records: [], blobs: [{ id, bytes }] }, at(0)), log.hasBlob(id)]).toEqual([
          { ok: false, error: { kind: "batch-too-large", bytes: 125, bytesMax: 100 } },
          false,
        ]);
      }));
  });
}
