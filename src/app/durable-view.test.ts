// What a person is shown is on the disk: a batch that is still being written is not shown, and one that failed never is.

import { expect, test } from "vitest";
import { asPosition } from "../base/ids.ts";
import { err, ok, type Result } from "../base/result.ts";
import type { AppendError } from "../log/log.ts";
import { DurableView } from "./durable-view.ts";

/** A ledger by hand: `accept` is what the folds see, `flush` what the disk takes. */
function byHand() {
  let accepted = 0;
  let durable = 0;
  let stopped: AppendError | null = null;
  let waiting: ((result: Result<void, AppendError>) => void)[] = [];
  const seen: string[] = [];
  const shown: (() => string)[] = [];
  const answer = (result: Result<void, AppendError>): void => {
    const all = waiting;
    waiting = [];
    for (const settle of all) settle(result);
  };
  const view = new DurableView<string>({
    ledger: {
      get end() {
        return asPosition(accepted);
      },
      get durable() {
        return asPosition(durable);
      },
      get stopped() {
        return stopped;
      },
      flushed: () => new Promise((resolve) => waiting.push(resolve)),
    },
    look: () => `record ${accepted}`,
    show: (later) => {
      shown.push(later);
      seen.push(later());
    },
  });
  return {
    view,
    seen,
    again: () => shown.at(-1)?.(),
    accept() {
      accepted += 1;
      view.changed();
    },
    async flush(end = accepted) {
      durable = end;
      answer(ok(undefined));
      await new Promise(setImmediate);
    },
    async fail() {
      stopped = { kind: "no-space", message: "ENOSPC" };
      answer(err(stopped));
      await view.settled();
    },
  };
}

test("shown is what has been written, once for each flush", async () => {
  const run = byHand();
  run.accept();
  run.accept();
  const before = [...run.seen];
  await run.flush(1);
  expect([before, run.seen]).toEqual([[], ["record 1"]]);
  await run.flush(2);
  expect(run.seen).toEqual(["record 1", "record 2"]);
});

test("S21 what the disk did not take is never shown, also when somebody looks again", async () => {
  const run = byHand();
  run.accept();
  await run.flush();
  run.accept();
  await run.fail();
  run.view.changed();
  await run.view.settled();
  expect([run.seen, run.again()]).toEqual([["record 1"], "record 1"]);
});

test("without anything on its way a change is shown at once", () => {
  const run = byHand();
  run.view.changed();
  expect(run.seen).toEqual(["record 0"]);
});
