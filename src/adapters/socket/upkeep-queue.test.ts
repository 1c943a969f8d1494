// Upkeep is done one piece at a time, once for all that wait for the same, and never for nobody.

import { expect, test } from "vitest";
import { ok } from "../../base/result.ts";
import { UpkeepQueue } from "./upkeep-queue.ts";

const wanted = (): boolean => true;
const gone = (): boolean => false;

/** Work that ends when it is told to, and how often it began. */
function work(started: string[], name: string) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const act = async () => {
    started.push(name);
    await promise;
    return ok(`${name} ${started.length}`);
  };
  return { act, end: resolve };
}

test("requests for the same that wait are one, and one that runs is not joined", async () => {
  const [queue, started] = [new UpkeepQueue(), [] as string[]];
  const { act, end } = work(started, "fsck");
  const first = queue.ask("fsck", wanted, act);
  await Promise.resolve();
  await Promise.resolve();
  const later = Array.from({ length: 1_000 }, () => queue.ask("fsck", wanted, act));
  end();
  const answers = await Promise.all([first, ...later]);
  expect([started, answers[0], new Set(answers.slice(1).map((answer) => answer.ok && answer.value))]).toEqual([
    ["fsck", "fsck"],
    ok("fsck 1"),
    new Set(["fsck 2"]),
  ]);
});

test("what everybody has left before its turn is not done, what one still waits for is", async () => {
  const [queue, started] = [new UpkeepQueue(), [] as string[]];
  const { act, end } = work(started, "first");
  const running = queue.ask("first", wanted, act);
  const left = queue.ask("gc 1", gone, work(started, "gc 1").act);
  const second = work(started, "gc 2");
  const kept = [queue.ask("gc 2", gone, second.act), queue.ask("gc 2", wanted, second.act)];
  end();
  second.end();
  await running;
  expect([await left, await Promise.all(kept), started]).toEqual([
    { ok: false, error: "nobody waits for it any more" },
    [ok("gc 2 2"), ok("gc 2 2")],
    ["first", "gc 2"],
  ]);
});

test("too many different requests are refused, and a failed one holds up nobody", async () => {
  const queue = new UpkeepQueue();
  const failing = queue.ask("a", wanted, () => Promise.reject(new Error("broken")));
  const others = Array.from({ length: 40 }, (_, index) => queue.ask(`b${index}`, wanted, async () => ok(index)));
  await expect(failing).rejects.toThrow("broken");
  const answers = await Promise.all(others);
  expect([answers.filter((answer) => answer.ok).length, answers.at(-1)]).toEqual([
    31,
    { ok: false, error: "32 other requests for upkeep wait already: try again later" },
  ]);
});
