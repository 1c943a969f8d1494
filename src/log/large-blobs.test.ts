// Large contents beside the log: whole or absent after a crash, found again when the store is opened, checked when read.

import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { asBlobId, type BlobId } from "../base/ids.ts";
import { unwrap } from "../base/result.ts";
import { memoryLog } from "../testing/log/memory-log.ts";
import { type SimHost, simHost } from "../testing/sim/host.ts";
import { openLargeBlobs, readLargeBlobs } from "./large-blobs.ts";
import { withLargeBlobs } from "./with-large-blobs.ts";

const directory = "/store";
const content = Buffer.alloc(300_000, "skein");
// As `git hash-object` computes it.
const id = asBlobId(createHash("sha1").update(`blob ${content.length}\0`).update(content).digest("hex"));

async function storeIn(sim: SimHost, bytes: Uint8Array, name: BlobId = id) {
  const large = unwrap(await openLargeBlobs(sim.files, directory), "open");
  const write = unwrap(await large.add(name, bytes.length), "begin");
  for (let at = 0; at < bytes.length; at += 65_536) {
    const written = await write.write(bytes.subarray(at, at + 65_536));
    if (!written.ok) return { large, finished: written };
  }
  return { large, finished: await write.finish() };
}

async function machine(seed: number): Promise<SimHost> {
  const sim = simHost({ seed });
  unwrap(await sim.files.makeDirectory(directory), "make the store");
  unwrap(await sim.files.syncDirectory("/"), "keep it");
  return sim;
}

test("a content is there, in parts and whole, for its writer, for a reader and after a power loss", async () => {
  const sim = await machine(1);
  const { large, finished } = await storeIn(sim, content);
  const log = withLargeBlobs(memoryLog(), large);
  const after = sim.powerLoss();
  const reader = unwrap(await readLargeBlobs(after.files, directory), "read");
  const opened = unwrap(await reader.open(id), "open");
  const part = unwrap(await opened.read(299_990, 100), "part");
  expect({
    finished,
    has: [log.hasBlob(id), reader.has(id)],
    bytes: opened.bytes,
    part: Buffer.from(part),
    whole: unwrap(await reader.read(id), "whole").length,
  }).toEqual({
    finished: { ok: true, value: undefined },
    has: [true, true],
    bytes: content.length,
    part: content.subarray(299_990),
    whole: content.length,
  });
});

test("through the log it is a content like any other", async () => {
  const sim = await machine(1);
  const { large } = await storeIn(sim, content);
  const log = withLargeBlobs(memoryLog(), large);
  const missing = asBlobId("0".repeat(40));
  expect([Buffer.from(unwrap(await log.blob(id), "blob")).equals(content), await log.blob(missing)]).toEqual([
    true,
    { ok: false, error: { kind: "missing", id: missing } },
  ]);
});

test("bytes of another id, and what a crash left unfinished, are not kept", async () => {
  const sim = await machine(1);
  const wrong = await storeIn(sim, content.subarray(1));
  const large = unwrap(await openLargeBlobs(sim.files, directory), "open");
  const write = unwrap(await large.add(id, content.length), "begin");
  unwrap(await write.write(content.subarray(0, 1_000)), "write");
  const after = sim.powerLoss();
  const reopened = unwrap(await openLargeBlobs(after.files, directory), "reopen");
  const left = await after.files.list("/store/large", 10);
  expect([wrong.finished.ok, reopened.has(id), left.ok ? left.value : left.error.code]).toEqual([false, false, []]);
});

test.each(Array.from({ length: 40 }, (_, seed) => seed))(
  "power loss at any step leaves it whole or absent (seed %i)",
  async (seed) => {
    const sim = await machine(seed);
    const large = unwrap(await openLargeBlobs(sim.files, directory), "open");
    const write = unwrap(await large.add(id, content.length), "begin");
    const isFinished = seed % 2 === 0;
    for (let at = 0; at < content.length; at += 65_536)
      unwrap(await write.write(content.subarray(at, at + 65_536)), "write");
    const acknowledged = isFinished ? (await write.finish()).ok : false;
    const after = sim.powerLoss();
    const reopened = unwrap(await openLargeBlobs(after.files, directory), "reopen");
    const read = reopened.has(id) ? await reopened.check(id) : null;
    expect(read).toEqual(acknowledged ? { ok: true, value: content.length } : null);
  },
);

test("a full disk is said, and the next content fits again", async () => {
  const sim = await machine(1);
  sim.disk.failNext({ op: "append", code: "no-space" });
  const full = await storeIn(sim, content);
  const again = await storeIn(sim, content);
  expect([full.finished.ok ? "" : full.finished.error.kind, again.finished.ok]).toEqual(["disk", true]);
});

test("a byte that went bad is found", async () => {
  const sim = await machine(1);
  await storeIn(sim, content);
  const bad = Buffer.from(content);
  bad[5] = 0;
  unwrap(await sim.files.write(`/store/large/${id}`, bad), "damage");
  const reader = unwrap(await readLargeBlobs(sim.files, directory), "read");
  const checked = await reader.check(id);
  expect(checked.ok ? "well" : checked.error.kind).toBe("mismatch");
});
