// The segment log on a real file system: the port's contract, rolling, readers beside the writer, flushes shared by many.

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { nodeHost } from "../../adapters/node/host.ts";
import { unwrap } from "../../base/result.ts";
import { describeLog } from "../../testing/contract/log.ts";
import { at, blobs, HELLO, readAll, record, records, storedRecord } from "../../testing/contract/log-under-test.ts";
import { type TemporaryStore, temporaryStore } from "../../testing/log/temporary-store.ts";
import { watchedFiles } from "../../testing/log/watched-files.ts";
import { blobIdOf } from "../blob-id.ts";

describeLog("segments on the real file system", async () => {
  const store = await temporaryStore();
  return { open: (limits) => store.open(limits), run: (work) => work, dispose: () => store.dispose() };
});

let store: TemporaryStore;
beforeEach(async () => {
  store = await temporaryStore();
});
afterEach(() => store.dispose());

test("segments roll at their size, and everything is found across them", async () => {
  const limits = { segmentBytesMax: 1000 };
  const log = unwrap(await store.open(limits), "open");
  const names: (string | undefined)[] = [];
  for (let index = 0; index < 20; index += 1) {
    const bytes = new TextEncoder().encode(`content ${index} `.repeat(20));
    unwrap(
      await log.append({ records: [record(index)], blobs: [{ id: blobIdOf(bytes, "sha1"), bytes }] }, at(index)),
      "append",
    );
  }
  for (const path of (await store.snapshot()).keys()) names.push(path.split("/").at(-1));
  await log.close();
  const again = unwrap(await store.open(limits), "reopen");
  const kept = [];
  for (let index = 0; index < 20; index += 1) {
    const bytes = new TextEncoder().encode(`content ${index} `.repeat(20));
    const blob = await again.blob(blobIdOf(bytes, "sha1"));
    kept.push(blob.ok && Buffer.compare(blob.value, bytes) === 0);
  }
  const all = await readAll(again);
  const tail = await readAll(again, at(13));
  await again.close();
  expect({ names: names.slice(0, 3), count: names.length, kept, all, tail }).toEqual({
    names: [
      "0000000000000000-00000000.segment",
      "0000000000000003-00000001.segment",
      "0000000000000006-00000002.segment",
    ],
    count: 9,
    kept: Array.from({ length: 20 }, () => true),
    all: Array.from({ length: 20 }, (_, index) => storedRecord(index, index)),
    tail: Array.from({ length: 7 }, (_, index) => storedRecord(index + 13, index + 13)),
  });
});

test("segments of blobs alone share their first position and are still told apart", async () => {
  const log = unwrap(await store.open({ segmentBytesMax: 500 }), "open");
  const ids = [];
  for (let index = 0; index < 4; index += 1) {
    const bytes = new Uint8Array(600).fill(index);
    const id = blobIdOf(bytes, "sha256");
    ids.push(id);
    unwrap(await log.append(blobs({ id, bytes }), at(0)), "append");
  }
  unwrap(await log.append(records("last"), at(0)), "append");
  await log.close();
  const reader = unwrap(await store.openReader(), "reader");
  const found = [];
  for (const id of ids) found.push((await reader.blob(id)).ok);
  const all = await readAll(reader);
  await reader.close();
  expect({ segments: (await store.snapshot()).size, found, all }).toEqual({
    segments: 5,
    found: [true, true, true, true],
    all: [storedRecord(0, "last")],
  });
});

test("a reader sees what was there when it came, changes nothing, and takes no lock", async () => {
  const log = unwrap(await store.open(), "open");
  unwrap(await log.append({ records: [record("a")], blobs: [HELLO] }, at(0)), "append");
  const reader = unwrap(await store.openReader(), "reader");
  unwrap(await log.append(records("b"), at(1)), "append");
  const refused = await reader.append(records("c"), at(1));
  const seen = { end: reader.end, all: await readAll(reader), blob: await reader.blob(HELLO.id) };
  await reader.close();
  await log.close();
  expect({ seen, refused }).toEqual({
    seen: { end: 1, all: [storedRecord(0, "a")], blob: { ok: true, value: HELLO.bytes } },
    refused: { ok: false, error: { kind: "stopped", message: "the log is open for reading only" } },
  });
});

test("where there is no log, a reader says so and makes none", async () => {
  const reader = await store.openReader();
  const message = expect.stringContaining("not-found");
  expect(reader).toEqual({ ok: false, error: { kind: "io", code: "not-found", message } });
});

test("files of other names in the log's directory are left alone", async () => {
  const log = unwrap(await store.open(), "open");
  await writeFile(join(store.directory, "segments", "notes.txt"), "mine");
  unwrap(await log.append(records("a"), at(0)), "append");
  await log.close();
  const again = unwrap(await store.open(), "reopen");
  expect([again.end, (await store.snapshot()).size]).toEqual([1, 2]);
  await again.close();
});

test("readers that come while the writer writes and rolls see a whole beginning, never damage", async () => {
  const log = unwrap(await store.open({ segmentBytesMax: 3000 }), "open");
  let isWriting = true;
  const writing = (async () => {
    for (let index = 0; index < 300; index += 1) await log.append(records("x".repeat(index % 90)), log.end);
    isWriting = false;
  })();
  const outcomes: unknown[] = [];
  let last = -1;
  while (isWriting) {
    const reader = await store.openReader();
    if (!reader.ok) outcomes.push(reader.error);
    else {
      if (reader.value.end < last) outcomes.push(["went back", last, reader.value.end]);
      last = reader.value.end;
      await reader.value.close();
    }
  }
  await writing;
  await log.close();
  expect(outcomes).toEqual([]);
});

test("batches that wait for a flush share the next one", async () => {
  const watched = watchedFiles(nodeHost().files);
  const log = unwrap(await store.open({}, watched.files), "open");
  watched.take();
  const all = Array.from({ length: 100 }, (_, index) => log.append(records(index), at(index)));
  const results = await Promise.all(all);
  const together = watched.take();
  for (let index = 100; index < 105; index += 1) await log.append(records(index), at(index));
  const oneByOne = watched.take();
  await log.close();
  const counts = { opens: 0, closes: 0, readBytesMax: 0 };
  expect({ ok: results.every((result) => result.ok), together, oneByOne }).toEqual({
    ok: true,
    together: { ...counts, appends: 1, syncs: 1 },
    oneByOne: { ...counts, appends: 5, syncs: 5 },
  });
});

test("a group is bounded", async () => {
  const watched = watchedFiles(nodeHost().files);
  const log = unwrap(await store.open({ groupBytesMax: 1000 }, watched.files), "open");
  watched.take();
  // Of these records' frames (48 + 4 + 224 bytes) three fit into a group.
  const data = "x".repeat(196);
  const results = await Promise.all(Array.from({ length: 9 }, (_, index) => log.append(records(data), at(index))));
  const counts = watched.take();
  await log.close();
  expect([results.every((result) => result.ok), counts.appends, counts.syncs]).toEqual([true, 3, 3]);
});

test("opening reads in bounded chunks, and every file that was opened is closed", async () => {
  const watched = watchedFiles(nodeHost().files);
  const limits = { segmentBytesMax: 20_000, chunkBytes: 4096, readHandlesMax: 1 };
  const log = unwrap(await store.open(limits, watched.files), "open");
  const ids = [];
  for (let index = 0; index < 100; index += 1) {
    const bytes = new TextEncoder().encode(`content ${index} `.repeat(100));
    const id = blobIdOf(bytes, "sha1");
    ids.push(id);
    unwrap(await log.append({ records: [record(index)], blobs: [{ id, bytes }] }, at(index)), "append");
  }
  await log.close();
  const again = unwrap(await store.open(limits, watched.files), "reopen");
  const [all, ...found] = await Promise.all([readAll(again), ...ids.map((id) => again.blob(id))]);
  await again.close();
  const { opens, closes, readBytesMax } = watched.take();
  expect([all.length, found.every((blob) => blob.ok), opens - closes, readBytesMax]).toEqual([100, true, 0, 4096]);
});
