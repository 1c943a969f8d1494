// The segment log on a real file system: the port's contract, rolling, readers beside the writer, flushes shared by many.

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { nodeHost } from "../../adapters/node/host.ts";
import { unwrap } from "../../base/result.ts";
import type { FileHandle, Files } from "../../host/files.ts";
import { describeLog } from "../../testing/contract/log.ts";
import { at, blobs, HELLO, readAll, record, records, storedRecord } from "../../testing/contract/log-under-test.ts";
import { type TemporaryStore, temporaryStore } from "../../testing/log/temporary-store.ts";
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
  expect(reader).toEqual({ ok: false, error: { kind: "io", message: expect.stringContaining("not-found") } });
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

test("batches that wait for a flush share the next one", async () => {
  const counter = countingFiles(nodeHost().files);
  const log = unwrap(await store.open({}, counter.files), "open");
  counter.reset();
  const all = Array.from({ length: 100 }, (_, index) => log.append(records(index), at(index)));
  const results = await Promise.all(all);
  const together = counter.counts();
  counter.reset();
  for (let index = 100; index < 105; index += 1) await log.append(records(index), at(index));
  const oneByOne = counter.counts();
  await log.close();
  expect({ ok: results.every((result) => result.ok), together, oneByOne }).toEqual({
    ok: true,
    together: { appends: 1, syncs: 1 },
    oneByOne: { appends: 5, syncs: 5 },
  });
});

test("a group is bounded, and what comes during a flush goes into the next", async () => {
  const counter = countingFiles(nodeHost().files);
  const log = unwrap(await store.open({ groupBytesMax: 1000 }, counter.files), "open");
  counter.reset();
  // Of these records' frames (48 + 4 + 224 bytes) three fit into a group.
  const data = "x".repeat(196);
  const results = await Promise.all(Array.from({ length: 9 }, (_, index) => log.append(records(data), at(index))));
  await log.close();
  expect({ ok: results.every((result) => result.ok), counts: counter.counts() }).toEqual({
    ok: true,
    counts: { appends: 4, syncs: 4 },
  });
});

interface Counts {
  readonly appends: number;
  readonly syncs: number;
}

function countingFiles(inner: Files): { readonly files: Files; counts(): Counts; reset(): void } {
  let counts = { appends: 0, syncs: 0 };
  const counted = (handle: FileHandle): FileHandle => ({
    ...handle,
    append(chunks) {
      counts.appends += 1;
      return handle.append(chunks);
    },
    sync() {
      counts.syncs += 1;
      return handle.sync();
    },
  });
  const files: Files = {
    ...inner,
    async open(path, mode) {
      const opened = await inner.open(path, mode);
      return opened.ok ? { ok: true, value: counted(opened.value) } : opened;
    },
  };
  return {
    files,
    counts: () => ({ ...counts }),
    reset() {
      counts = { appends: 0, syncs: 0 };
    },
  };
}
