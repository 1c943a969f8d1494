// The ledger over a log in memory: folds in step with acceptance, listeners with durability, and a full stop after a failure.

import { expect, test } from "vitest";
import { unwrap } from "../base/result.ts";
import { at, blobs, HELLO, readAll, record, records, storedRecord } from "../testing/contract/log-under-test.ts";
import { memoryLog, memoryStore } from "../testing/log/memory-log.ts";
import type { Fold } from "./fold.ts";
import { openLedger } from "./ledger.ts";
import type { StoredRecord } from "./log.ts";

const everything: Fold<{ readonly seen: StoredRecord[] }> = {
  name: "everything",
  version: 1,
  initial: () => ({ seen: [] }),
  apply: (state, stored) => state.seen.push(stored),
};

const sum: Fold<{ total: number }> = {
  name: "sum",
  version: 1,
  initial: () => ({ total: 0 }),
  apply(state, { data }) {
    if (typeof data === "number") state.total += data;
  },
};

test("opening replays the log into every fold", async () => {
  const log = memoryLog();
  await log.append(records(1, "x"), at(0));
  void log.append(records(3), at(2));
  const ledger = await openLedger(log, [everything, sum]);
  expect([ledger.state(everything), ledger.state(sum), ledger.end, ledger.durable]).toEqual([
    { seen: [storedRecord(0, 1), storedRecord(1, "x"), storedRecord(2, 3)] },
    { total: 4 },
    3,
    3,
  ]);
});

test("the folds have seen a batch when append returns, before it is durable", async () => {
  const ledger = await openLedger(memoryLog(), [sum]);
  const first = ledger.append(records(2));
  const second = ledger.append(records(5, 7));
  const early = [ledger.state(sum).total, ledger.end, ledger.durable];
  expect([early, await first, await second, ledger.durable]).toEqual([
    [14, 3, 0],
    { ok: true, value: 1 },
    { ok: true, value: 3 },
    3,
  ]);
});

test("live folds see what a replay gives them, whatever the caller passed or changes later", async () => {
  const store = memoryStore();
  const log = unwrap(store.open(), "open");
  const ledger = await openLedger(log, [everything]);
  const data = { list: [1], odd: new Set(["a"]), text: "\udc00" };
  const answer = ledger.append(records(data));
  data.list.push(2);
  await answer;
  const live = ledger.state(everything);
  await log.close();
  const replayed = await openLedger(unwrap(store.open(), "reopen"), [everything]);
  expect(replayed.state(everything)).toStrictEqual(live);
});

test("listeners hear each batch once, in order, when it is durable and not before", async () => {
  const log = memoryLog();
  const ledger = await openLedger(log, [sum]);
  const heard: unknown[] = [];
  const end = ledger.onDurable((batch) => heard.push([ledger.durable, batch]));
  log.hold();
  const answers = [ledger.append(records(1)), ledger.append(blobs(HELLO)), ledger.append(records(2, 3))];
  const early = heard.length;
  log.release();
  await Promise.all(answers);
  end();
  await ledger.append(records(4));
  expect([early, heard]).toEqual([
    0,
    [
      [1, [storedRecord(0, 1)]],
      [3, [storedRecord(1, 2), storedRecord(2, 3)]],
    ],
  ]);
});

test("a listener may append, and its batch is heard after the one it answers", async () => {
  const ledger = await openLedger(memoryLog(), [sum]);
  const heard: unknown[] = [];
  const answers: Promise<unknown>[] = [];
  ledger.onDurable((batch) => {
    heard.push(...batch.map(({ data }) => data));
    if (batch[0]?.data === 1) answers.push(ledger.append(records(10)));
  });
  await Promise.all([ledger.append(records(1)), ledger.append(records(2))]);
  await Promise.all(answers);
  expect([heard, ledger.state(sum).total]).toEqual([[1, 2, 10], 13]);
});

test("after a failed flush the ledger stops and says why", async () => {
  const log = memoryLog();
  const ledger = await openLedger(log, [sum]);
  await ledger.append(records(1));
  const heard: unknown[] = [];
  ledger.onDurable((batch) => heard.push(batch));
  log.failNext({ kind: "no-space", message: "the disk is full" });
  const lost = await ledger.append(records(2));
  const refused = await ledger.append(records(3));
  expect({
    lost,
    refused,
    stopped: ledger.stopped,
    heard,
    total: ledger.state(sum).total,
    end: ledger.end,
    all: await readAll(log),
  }).toEqual({
    lost: { ok: false, error: { kind: "no-space", message: "the disk is full" } },
    refused: { ok: false, error: { kind: "stopped", message: "the state is ahead of the disk: the disk is full" } },
    stopped: { kind: "no-space", message: "the disk is full" },
    heard: [],
    total: 3,
    end: 2,
    all: [storedRecord(0, 1)],
  });
});

test("a refused batch reaches no fold and stops nothing", async () => {
  const log = memoryLog();
  const ledger = await openLedger(log, [sum]);
  const tooLarge = await ledger.append({ records: [record("x".repeat(40_000_000))], blobs: [] });
  await ledger.append(records(1));
  // Somebody appends past the ledger: its folds do not know that record, so it must not go on.
  await log.append(records(5), at(1));
  const moved = await ledger.append(records(7));
  expect([
    tooLarge.ok ? "ok" : tooLarge.error.kind,
    moved,
    ledger.state(sum).total,
    ledger.end,
    ledger.stopped,
  ]).toEqual(["batch-too-large", { ok: false, error: { kind: "moved", expected: 1, end: 2 } }, 1, 1, null]);
});

test("a fold that fails for an accepted record is a bug and stops the ledger", async () => {
  const broken: Fold<null> = {
    name: "broken",
    version: 1,
    initial: () => null,
    apply() {
      throw new Error("no such state");
    },
  };
  const ledger = await openLedger(memoryLog(), [broken]);
  expect(() => ledger.append(records(1))).toThrow("no such state");
  expect(await ledger.append(records(2))).toEqual({
    ok: false,
    error: { kind: "stopped", message: "the state is ahead of the disk: a fold failed: Error: no such state" },
  });
});

test("two folds of one name, and the state of an unknown fold, are bugs", async () => {
  await expect(openLedger(memoryLog(), [sum, { ...sum }])).rejects.toThrow("different names");
  const ledger = await openLedger(memoryLog(), [sum]);
  expect(() => ledger.state(everything)).toThrow("everything");
});

test("replay gives the durable records from a position", async () => {
  const ledger = await openLedger(memoryLog(), []);
  await ledger.append(records("a", "b"));
  const rest: StoredRecord[] = [];
  for await (const stored of ledger.replay(at(1))) rest.push(stored);
  expect(rest).toEqual([storedRecord(1, "b")]);
});
