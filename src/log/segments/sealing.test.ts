// A sealed log gives the same records and blobs as before, in fewer bytes; what gc leaves out is gone and the rest is not.

import { beforeEach, expect, test } from "vitest";
import type { BlobId } from "../../base/ids.ts";
import { unwrap } from "../../base/result.ts";
import { at, EMPTY, readAll, record, records } from "../../testing/contract/log-under-test.ts";
import { type LogStore, logStore } from "../../testing/log/log-store.ts";
import { type SimHost, simHost } from "../../testing/sim/host.ts";
import { blobIdOf } from "../blob-id.ts";
import type { NewBlob } from "../log.ts";
import type { SegmentLog } from "./segment-log.ts";

let host: SimHost;
let store: LogStore;
beforeEach(() => {
  host = simHost({ seed: 11 });
  store = logStore(host, "/state/log");
});

const limits = { segmentBytesMax: 6_000, chunkBytes: 700 };
const count = 30;

function blobOf(number: number): NewBlob {
  // Much of it repeats, some does not; every tenth is empty but for one shared blob.
  const bytes = Buffer.from(`${"the same line\n".repeat(40)}${number}\n`);
  return number % 10 === 9 ? EMPTY : { id: blobIdOf(bytes, "sha1"), bytes };
}

async function filled(): Promise<SegmentLog> {
  const log = unwrap(await store.open(limits), "open");
  for (let number = 0; number < count; number += 1) {
    unwrap(await log.append({ records: [record({ number })], blobs: [blobOf(number)] }, at(number)), "append");
  }
  return log;
}

async function contents(log: SegmentLog) {
  const blobs: string[] = [];
  for (let number = 0; number < count; number += 1) {
    const { id, bytes } = blobOf(number);
    const read = await log.blob(id);
    blobs.push(read.ok && Buffer.compare(read.value, bytes) === 0 ? "as it was" : "other");
  }
  return { records: (await readAll(log)).map(({ data }) => data), blobs };
}

const asWritten = {
  records: Array.from({ length: count }, (_, number) => ({ number })),
  blobs: Array.from({ length: count }, () => "as it was"),
};

const names = async (): Promise<readonly string[]> =>
  [...(await store.snapshot()).keys()].map((path) => path.replace(/^.*-(\d{8})\./, "$1."));
const bytesOnDisk = async (): Promise<number> =>
  [...(await store.snapshot()).values()].reduce((sum, bytes) => sum + bytes.length, 0);

test("records and blobs are the same from plain, sealed and reopened segments", async () => {
  const log = await filled();
  const before = { ...(await contents(log)), bytes: await bytesOnDisk() };
  const plain = log.stats().segments;
  const sealed = unwrap(await log.seal(), "seal");
  const after = { ...(await contents(log)), bytes: await bytesOnDisk() };
  const again = await log.seal();
  await log.close();
  const reopened = unwrap(await store.open(limits), "reopen");
  expect([await contents(reopened), reopened.stats()]).toEqual([
    asWritten,
    { ...log.stats(), segments: { plain: 1, sealed: plain.plain - 1 } },
  ]);
  expect([before.records, before.blobs, after.records, after.blobs, sealed, again]).toEqual([
    asWritten.records,
    asWritten.blobs,
    asWritten.records,
    asWritten.blobs,
    { sealed: plain.plain - 1 },
    { ok: true, value: { sealed: 0 } },
  ]);
  expect(after.bytes).toBeLessThan(before.bytes / 2);
});

test("a sealed segment is two files, and nothing of the plain one is left", async () => {
  const log = await filled();
  await log.seal();
  const last = String(log.stats().segments.sealed).padStart(8, "0");
  expect(await names()).toEqual([
    ...Array.from({ length: log.stats().segments.sealed }, (_, number) => String(number).padStart(8, "0")).flatMap(
      (number) => [`${number}.00000001.blobs`, `${number}.events`],
    ),
    `${last}.segment`,
  ]);
});

test("reading goes on over segments that are sealed meanwhile", async () => {
  const log = await filled();
  const seen: unknown[] = [];
  for await (const { data } of log.read(at(0))) {
    seen.push(data);
    if (seen.length === 2) await log.seal();
  }
  expect(seen).toEqual(asWritten.records);
});

test("commits go on while segments are sealed", async () => {
  const log = await filled();
  const sealing = log.seal();
  const answers = [];
  for (let more = 0; more < 20; more += 1) answers.push(log.append(records(more), at(count + more)));
  await Promise.all([sealing, ...answers]);
  expect([log.durable, (await readAll(log)).length]).toEqual([count + 20, count + 20]);
});

test("gc removes what it is told to, also from segments that are sealed already, and keeps every record", async () => {
  const log = await filled();
  await log.seal();
  const isKept = (number: number): boolean => number % 3 === 0 || number % 10 === 9;
  const keep = new Set<BlobId>(
    Array.from({ length: count }, (_, number) => number)
      .filter(isKept)
      .map((number) => blobOf(number).id),
  );
  const before = await bytesOnDisk();
  const report = unwrap(await log.collect((id) => keep.has(id)), "collect");
  const live = await contents(log);
  const there = live.blobs.map((blob) => blob === "as it was");
  await log.close();
  const again = unwrap(await store.open(limits), "reopen");
  const gone = there.filter((isThere) => !isThere).length;
  // The blobs of the segment that is being written to are only forgotten: a full reading finds them again.
  const found = (await contents(again)).blobs.filter((blob) => blob === "as it was").length;
  expect({ there, removed: report.blobsRemoved, records: (await readAll(again)).length }).toEqual({
    there: Array.from({ length: count }, (_, number) => isKept(number)),
    removed: gone,
    records: count,
  });
  expect([report.segmentsRewritten > 0, found < count, (await bytesOnDisk()) < before]).toEqual([true, true, true]);
});

test("a blob that gc took may be stored anew", async () => {
  const log = await filled();
  await log.collect(() => false);
  const lost = log.hasBlob(blobOf(0).id);
  await log.append({ records: [record("again")], blobs: [blobOf(0)] }, at(count));
  await log.close();
  const again = unwrap(await store.open(limits), "reopen");
  const read = await again.blob(blobOf(0).id);
  expect([lost, read.ok && Buffer.compare(read.value, blobOf(0).bytes)]).toEqual([false, 0]);
});

test.for(["open", "append", "sync", "rename", "syncDirectory", "remove", "read"] as const)(
  "a disk that refuses while sealing leaves the log as it is: %s",
  async (op) => {
    const log = await filled();
    const isSealing = (path: string): boolean => /\.(tmp|events|blobs)$/.test(path) || op === "syncDirectory";
    host.disk.failNext({ op, code: "no-space", path: op === "read" ? undefined : isSealing } as never);
    const sealed = await log.seal();
    host.disk.clearFaults();
    const live = await contents(log);
    const later = await log.seal();
    await log.append(records("more"), at(count));
    await log.close();
    const again = unwrap(await store.open(limits), "reopen");
    const { records: all, blobs } = await contents(again);
    expect([sealed.ok, live, later.ok, all, blobs]).toEqual([
      false,
      asWritten,
      true,
      [...asWritten.records, "more"],
      asWritten.blobs,
    ]);
  },
);
