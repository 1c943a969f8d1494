// Contract of a Log's life: one writer at a time, all that was acknowledged still there when it is opened again.

import { describe, expect, test } from "vitest";
import {
  at,
  EMPTY,
  freshStore,
  HELLO,
  type MakeLog,
  readAll,
  record,
  records,
  storedRecord,
} from "./log-under-test.ts";

export function describeReopening(make: MakeLog): void {
  describe("open and close", () => {
    const inStore = freshStore(make);

    test("what was appended is there again, and appending goes on where it ended", () =>
      inStore(async ({ log, reopen }) => {
        await log.append({ records: [record("a"), record("b")], blobs: [HELLO] }, at(0));
        await log.append({ records: [], blobs: [EMPTY] }, at(2));
        const second = await reopen();
        const found = {
          end: second.end,
          durable: second.durable,
          blobs: [second.hasBlob(HELLO.id), second.hasBlob(EMPTY.id)],
        };
        await second.append(records("c"), at(2));
        const third = await reopen();
        expect({ found, all: await readAll(third), hello: await third.blob(HELLO.id) }).toEqual({
          found: { end: 2, durable: 2, blobs: [true, true] },
          all: [storedRecord(0, "a"), storedRecord(1, "b"), storedRecord(2, "c")],
          hello: { ok: true, value: HELLO.bytes },
        });
      }));

    test("close waits for what was accepted, and may be called twice", () =>
      inStore(async ({ log, reopen }) => {
        const answer = log.append(records("a"), at(0));
        await Promise.all([log.close(), log.close()]);
        const late = await log.append(records("b"), at(1));
        const again = await reopen();
        expect([await answer, late, await readAll(again)]).toEqual([
          { ok: true, value: 1 },
          { ok: false, error: { kind: "stopped", message: expect.any(String) } },
          [storedRecord(0, "a")],
        ]);
      }));

    test("a second writer is refused while the first has not closed", () =>
      inStore(async ({ log, open, reopen }) => {
        const second = await open();
        await log.append(records("a"), at(0));
        const third = await reopen();
        expect([second, third.end]).toEqual([{ ok: false, error: { kind: "held", message: expect.any(String) } }, 1]);
      }));
  });
}
