// A record that a newer program wrote: the store is read up to it, nothing is appended, and the reason is said.

import { expect, test } from "vitest";
import { at, record, records } from "../testing/contract/log-under-test.ts";
import { memoryLog } from "../testing/log/memory-log.ts";
import type { Fold } from "./fold.ts";
import { openLedger } from "./ledger.ts";

const seen: Fold<{ readonly data: unknown[] }> = {
  name: "seen",
  version: 1,
  types: { thing_happened: 1 },
  initial: () => ({ data: [] }),
  apply: (state, { data }) => state.data.push(data),
};

const refused = (what: string) => ({
  ok: false,
  error: {
    kind: "stopped",
    message: `record 1 is ${what}, written by a newer Skein: the store can only be read, up to that record. Nothing was changed; use the newer version to go on`,
  },
});

test("a newer version of a known type", async () => {
  const log = memoryLog();
  await log.append({ records: [record("a"), { ...record("b"), version: 2 }, record("c")], blobs: [] }, at(0));
  const ledger = await openLedger(log, [seen]);
  const state = ledger.state(seen).data;
  expect([state, ledger.end, await ledger.append(records("d")), await ledger.checkpoint(), log.end]).toEqual([
    ["a"],
    1,
    refused('"thing_happened" in version 2'),
    refused('"thing_happened" in version 2'),
    3,
  ]);
});

test("an unknown type, where all types are expected to be known", async () => {
  const log = memoryLog();
  await log.append({ records: [record("a"), { ...record("b"), type: "thing_undone" }], blobs: [] }, at(0));
  const strict = await openLedger(log, [seen], { strict: true });
  const lax = await openLedger(log, [seen]);
  expect([strict.end, await strict.append(records("d")), lax.end, lax.stopped]).toEqual([
    1,
    refused('of the unknown type "thing_undone"'),
    2,
    null,
  ]);
});
