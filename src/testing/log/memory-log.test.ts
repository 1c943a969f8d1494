// The log in memory keeps the contract of the port, and its faults do what they say.

import { expect, test } from "vitest";
import { describeLog } from "../contract/log.ts";
import { at, HELLO, readAll, record, records } from "../contract/log-under-test.ts";
import { memoryLog, memoryStore } from "./memory-log.ts";

describeLog("in memory", async () => {
  const store = memoryStore();
  return {
    open: async (limits) => store.open(limits),
    run: (work) => work,
    dispose: async () => undefined,
  };
});

test("while held nothing becomes durable", async () => {
  const log = memoryLog();
  log.hold();
  const answer = log.append(records("a"), at(0));
  await new Promise((resolve) => setImmediate(resolve));
  const before = [log.end, log.durable];
  log.release();
  expect([before, await answer, log.durable]).toEqual([[1, 0], { ok: true, value: 1 }, 1]);
});

test("a failed flush answers all that wait and stops the log", async () => {
  const log = memoryLog();
  await log.append(records("a"), at(0));
  const failure = { kind: "no-space", message: "full" } as const;
  log.failNext(failure);
  const lost = [log.append({ records: [record("b")], blobs: [HELLO] }, at(1)), log.append(records("c"), at(2))];
  expect([
    await Promise.all(lost),
    await log.append(records("d"), at(1)),
    log.hasBlob(HELLO.id),
    (await readAll(log)).length,
  ]).toEqual([
    [
      { ok: false, error: failure },
      { ok: false, error: failure },
    ],
    { ok: false, error: { kind: "stopped", message: "an earlier flush failed" } },
    false,
    1,
  ]);
});
