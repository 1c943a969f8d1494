// A disk that refuses: everything that waited is told, nothing of it comes back, and what was durable can still be read.

import { beforeEach, expect, test } from "vitest";
import { unwrap } from "../../base/result.ts";
import { at, HELLO, readAll, record, records, storedRecord } from "../../testing/contract/log-under-test.ts";
import { type LogStore, logStore } from "../../testing/log/log-store.ts";
import type { ArmedFault } from "../../testing/sim/disk/faults.ts";
import { type SimHost, simHost } from "../../testing/sim/host.ts";
import type { SegmentLog } from "./segment-log.ts";

let host: SimHost;
let store: LogStore;
beforeEach(() => {
  host = simHost({ seed: 7 });
  store = logStore(host, "/state/log");
});

const inSegment = (path: string): boolean => path.endsWith(".segment");

/** A log with one durable record, then two batches of which the first meets the fault. */
async function afterFault(faults: readonly ArmedFault[], limits = {}) {
  const log = unwrap(await store.open(limits), "open");
  unwrap(await log.append(records("kept"), at(0)), "append");
  const size = await sizes();
  for (const fault of faults) host.disk.failNext(fault);
  const lost = log.append({ records: [record("lost"), record("too")], blobs: [HELLO] }, at(1));
  // The first flush is under way when this one is accepted.
  await Promise.resolve();
  const queued = log.append(records("queued"), at(3));
  const waiting = log.flushed();
  const answers = { lost: await lost, queued: await queued, flushed: await waiting };
  return { log, answers, size };
}

async function sizes(): Promise<readonly number[]> {
  return [...(await store.snapshot()).values()].map((bytes) => bytes.length);
}

async function stateOf(log: SegmentLog) {
  return {
    end: log.end,
    durable: log.durable,
    blob: log.hasBlob(HELLO.id),
    late: await log.append(records("late"), at(1)),
    all: await readAll(log),
  };
}

const stopped = { ok: false, error: { kind: "stopped", message: expect.stringContaining("an earlier flush failed") } };
const stateAfter = { end: 1, durable: 1, blob: false, late: stopped, all: [storedRecord(0, "kept")] };

test.for([0, 1, 47, 48, 60, 100])("a full disk after %i bytes of a write", async (afterBytes) => {
  const { log, answers, size } = await afterFault([{ op: "append", code: "no-space", afterBytes, path: inSegment }]);
  const state = await stateOf(log);
  const after = await sizes();
  await log.close();
  const again = unwrap(await store.open(), "reopen");
  const full = { ok: false, error: { kind: "no-space", message: expect.stringContaining("no-space") } };
  expect({ answers, state, after, reopened: [again.end, again.tornTail, again.hasBlob(HELLO.id)] }).toEqual({
    answers: { lost: full, queued: full, flushed: full },
    state: stateAfter,
    after: size,
    reopened: [1, null, false],
  });
});

test("a flush that fails", async () => {
  const { log, answers, size } = await afterFault([{ op: "sync", code: "io", path: inSegment }]);
  const state = await stateOf(log);
  const after = await sizes();
  await log.close();
  const again = unwrap(await store.open(), "reopen");
  const failed = { ok: false, error: { kind: "stopped", message: expect.stringContaining("(io)") } };
  expect({ answers, state, after, end: again.end }).toEqual({
    answers: { lost: failed, queued: failed, flushed: failed },
    state: stateAfter,
    after: size,
    end: 1,
  });
});

test.for(["open", "append", "sync", "syncDirectory"] as const)("a new segment that cannot be made: %s", async (op) => {
  // The record takes 79 bytes of the segment's 150, so the next batch needs a new one.
  const fault: ArmedFault = { op, code: "no-space", path: (path) => path.includes("segments") };
  const { log, answers } = await afterFault([fault], { segmentBytesMax: 150 });
  const state = await stateOf(log);
  await log.close();
  const again = unwrap(await store.open(), "reopen");
  unwrap(await again.append(records("next"), at(1)), "append");
  const full = { ok: false, error: { kind: "no-space", message: expect.stringContaining("no-space") } };
  expect({ answers, state, all: await readAll(again) }).toEqual({
    answers: { lost: full, queued: full, flushed: full },
    state: stateAfter,
    all: [storedRecord(0, "kept"), storedRecord(1, "next")],
  });
});

test("where the cut fails too, the answer says that the batch may come back", async () => {
  const { log, answers } = await afterFault([
    { op: "sync", code: "io", path: inSegment },
    { op: "truncate", code: "io", path: inSegment },
  ]);
  const state = await stateOf(log);
  await log.close();
  const again = unwrap(await store.open(), "reopen");
  const failed = { ok: false, error: { kind: "stopped", message: expect.stringContaining("may still be found") } };
  expect({ answers, state, end: again.end }).toEqual({
    answers: { lost: failed, queued: failed, flushed: failed },
    state: stateAfter,
    end: 3,
  });
});

test("flushed asks only for what came before it", async () => {
  const log = unwrap(await store.open(), "open");
  unwrap(await log.append(records("kept"), at(0)), "append");
  host.disk.failNext({ op: "sync", code: "io", path: inSegment });
  const flushed = log.flushed();
  const lost = log.append(records("lost"), at(1));
  expect([await flushed, (await lost).ok]).toEqual([{ ok: true, value: undefined }, false]);
});

test.for(["makeDirectory", "list", "sync", "open", "read"] as const)(
  "an opening that fails lets the lock go: %s",
  async (op) => {
    const log = unwrap(await store.open(), "open");
    unwrap(await log.append(records("kept"), at(0)), "append");
    await log.close();
    host.disk.failNext({ op, code: "io", path: (path) => path.includes("segments") });
    const failed = await store.open();
    const again = await store.open();
    expect([failed, again.ok && again.value.end]).toEqual([
      { ok: false, error: { kind: "io", code: "io", message: expect.stringContaining("a fault armed by the test") } },
      1,
    ]);
  },
);
