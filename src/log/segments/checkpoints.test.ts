// A checkpoint is a cache: a good one saves reading, a bad one is passed over and said, and none is ever believed over the log.

import { crc32 } from "node:zlib";
import { beforeEach, expect, test } from "vitest";
import { unwrap } from "../../base/result.ts";
import type { Files } from "../../host/files.ts";
import { at, HELLO, readAll, record, records } from "../../testing/contract/log-under-test.ts";
import { type LogStore, logStore } from "../../testing/log/log-store.ts";
import { type SimHost, simHost } from "../../testing/sim/host.ts";
import type { Fold } from "../fold.ts";
import { openLedger } from "../ledger.ts";
import { isObjectWith, plainCodec } from "../plain-codec.ts";

let host: SimHost;
let store: LogStore;
beforeEach(() => {
  host = simHost({ seed: 12 });
  store = logStore(host, "/state/log");
});

const limits = { segmentBytesMax: 2_000, chunkBytes: 500 };
const directory = "/state/log/checkpoints";

const sum: Fold<{ total: number }> = {
  name: "sum",
  version: 1,
  codec: plainCodec((value): value is { total: number } => isObjectWith(value, "total")),
  initial: () => ({ total: 0 }),
  apply(state, { data }) {
    if (typeof data === "number") state.total += data;
  },
};

/** Forty numbers with a checkpoint after the twentieth and after the thirtieth. */
async function written(): Promise<void> {
  const log = unwrap(await store.open(limits), "open");
  const ledger = await openLedger(log, [sum]);
  for (let number = 1; number <= 40; number += 1) {
    unwrap(await ledger.append({ records: [record(number), record("x".repeat(60))], blobs: [HELLO] }), "append");
    if (number === 20 || number === 30) unwrap(await ledger.checkpoint(), "checkpoint");
  }
  await log.close();
}

async function openedState() {
  const log = unwrap(await store.open(limits), "open");
  const ledger = await openLedger(log, [sum]);
  const state = { total: ledger.state(sum).total, end: Number(ledger.end), saved: log.saved?.position ?? null };
  const notes = [...log.notes, ...ledger.notes];
  const hello = log.hasBlob(HELLO.id);
  await log.close();
  return { ...state, hello, notes };
}

const right = { total: 820, end: 80, hello: true };

async function newest(): Promise<string> {
  const entries = unwrap(await host.files.list(directory, 100), "list");
  return `${directory}/${entries.at(-1)?.name}`;
}

test("opening reads only the segments that came after the newest checkpoint", async () => {
  await written();
  const opened: string[] = [];
  const files: Files = {
    ...host.files,
    open(path, mode) {
      opened.push(path);
      return host.files.open(path, mode);
    },
  };
  const segmentsOpened = async (): Promise<number> => {
    opened.length = 0;
    const log = unwrap(await store.open(limits, files), "open");
    await log.close();
    return new Set(opened.filter((path) => path.endsWith(".segment"))).size;
  };
  const quick = await segmentsOpened();
  unwrap(await host.files.remove(directory), "remove");
  const slow = await segmentsOpened();
  // Twenty of eighty records came after it.
  expect([quick < slow, await openedState()]).toEqual([true, { ...right, saved: null, notes: [] }]);
});

test("a checkpoint with any byte flipped is passed over, and said", async () => {
  await written();
  const path = await newest();
  const good = Buffer.from(unwrap(await host.files.read(path, 1_000_000), "read"));
  for (let at = 0; at < good.length; at += 7) {
    const bad = Buffer.from(good);
    bad[at] = (bad[at] ?? 0) ^ 0x10;
    unwrap(await host.files.write(path, bad), "write");
    expect([at, await openedState()]).toEqual([at, { ...right, saved: 40, notes: [expect.stringContaining(path)] }]);
  }
});

test("a checkpoint that is cut short is passed over", async () => {
  await written();
  const path = await newest();
  const good = unwrap(await host.files.read(path, 1_000_000), "read");
  for (const length of [0, 10, 64, good.length - 1]) {
    unwrap(await host.files.write(path, good.subarray(0, length)), "write");
    expect([length, await openedState()]).toEqual([
      length,
      { ...right, saved: 40, notes: [expect.stringContaining("was not used")] },
    ]);
  }
});

test("a checkpoint of a newer program is passed over, and said", async () => {
  await written();
  const path = await newest();
  const bytes = Buffer.from(unwrap(await host.files.read(path, 1_000_000), "read"));
  bytes.writeUInt32LE(2, 8);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, 60)), 60);
  unwrap(await host.files.write(path, bytes), "write");
  expect(await openedState()).toEqual({ ...right, saved: 40, notes: [expect.stringContaining("version 2")] });
});

test("a checkpoint of another log, or of a log that has become shorter, is passed over", async () => {
  await written();
  const other = logStore(host, "/state/other");
  const log = unwrap(await other.open(limits), "open");
  await log.append(records("alone"), at(0));
  await log.close();
  unwrap(await host.files.makeDirectory("/state/other/checkpoints"), "make");
  const bytes = unwrap(await host.files.read(await newest(), 1_000_000), "read");
  unwrap(await host.files.write("/state/other/checkpoints/0000000000000060.checkpoint", bytes), "write");
  const again = unwrap(await other.open(limits), "reopen");
  expect([again.saved, again.notes, (await readAll(again)).length]).toEqual([
    null,
    [expect.stringContaining("was not used")],
    1,
  ]);
});

test("a fold of another version is computed anew from the first record", async () => {
  await written();
  const log = unwrap(await store.open(limits), "open");
  const ledger = await openLedger(log, [{ ...sum, version: 2 }]);
  expect([log.saved?.position, ledger.end]).toEqual([60, 80]);
  await log.close();
});

test("a checkpoint holds after its segments were sealed and collected", async () => {
  await written();
  const log = unwrap(await store.open(limits), "open");
  await log.seal();
  await log.collect(() => false);
  await log.close();
  expect(await openedState()).toEqual({ ...right, hello: false, saved: 60, notes: [] });
});

test("a disk that refuses a checkpoint leaves the log and the one before", async () => {
  await written();
  for (const op of ["open", "append", "sync", "rename", "makeDirectory", "syncDirectory"] as const) {
    const log = unwrap(await store.open(limits), "open");
    const ledger = await openLedger(log, [sum]);
    host.disk.failNext({ op, code: "no-space", path: (path) => path.includes("checkpoint") });
    const failed = await ledger.checkpoint();
    host.disk.clearFaults();
    await log.close();
    expect([op, failed.ok, await openedState()]).toEqual([
      op,
      false,
      // Only its name was not made durable: it is whole, and may be there.
      { ...right, saved: op === "syncDirectory" ? 80 : 60, notes: [] },
    ]);
  }
});
