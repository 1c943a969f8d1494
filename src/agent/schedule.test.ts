// The order of one response's calls: what waits for what, who takes a place, and that the cap and the order of starting hold.

import { expect, test } from "vitest";
import { type Claim, conflict, resourceAt } from "./claim.ts";
import { runInOrder, type ScheduledCall } from "./schedule.ts";

const read = (...what: string[]): Claim => ({ kind: "read", what });
const write = (...what: string[]): Claim => ({ kind: "write", what });
const search: Claim = { kind: "read", what: "tree" };
const exclusive: Claim = { kind: "exclusive" };
const delegate = (writes: boolean): Claim => ({ kind: "delegate", writes });

/** Runs calls that each last until everything else has come to rest; answers which ran together, round by round. */
async function rounds(claims: readonly Claim[], atOnceMax = 10): Promise<number[][]> {
  const running = new Map<number, () => void>();
  const seen: number[][] = [];
  const calls = claims.map(
    (claim, index): ScheduledCall => ({
      effect: claim.kind,
      claim: async () => claim,
      run: () => new Promise((resolve) => running.set(index, resolve)),
    }),
  );
  let over = false;
  const all = runInOrder(calls, atOnceMax).then(() => {
    over = true;
  });
  for (;;) {
    await new Promise((resolve) => setImmediate(resolve));
    if (over) break;
    seen.push([...running.keys()]);
    const ends = [...running.values()];
    running.clear();
    for (const end of ends) end();
  }
  await all;
  return seen;
}

test.each<[string, readonly Claim[], number[][]]>([
  ["reads run together", [read("a"), search, read("b")], [[0, 1, 2]]],
  ["writes of different files run together", [write("a"), write("b"), write("c")], [[0, 1, 2]]],
  ["writes of one file run in request order", [write("a"), write("b"), write("a")], [[0, 1], [2]]],
  ["a read of a file waits for its write, others do not", [write("a"), read("a"), read("b")], [[0, 2], [1]]],
  [
    "a search waits for every write before it, and holds up those after it",
    [write("a"), search, write("b")],
    [[0], [1], [2]],
  ],
  ["what is exclusive is alone", [read("a"), exclusive, read("b")], [[0], [1], [2]]],
  ["a directory's listing waits for a file in it", [write("d/a"), read("d")], [[0], [1]]],
  ["a name that only begins alike is another", [write("d"), read("d2")], [[0, 1]]],
  [
    "children run together, and reads beside those that only read",
    [delegate(false), read("a"), delegate(false)],
    [[0, 1, 2]],
  ],
  [
    "children that write run together, reads after them wait",
    [delegate(true), delegate(true), read("a")],
    [[0, 1], [2]],
  ],
  ["a write waits for a child that reads", [delegate(false), write("a")], [[0], [1]]],
  ["what touches nothing waits for nobody", [exclusive, read()], [[0], [1]]],
  ["no calls at all", [], []],
])("%s", async (_name, claims, expected) => {
  expect(await rounds(claims)).toEqual(expected);
});

test("no more than the cap run together, children take no place of it, and 1 is one after another", async () => {
  const reads = Array.from({ length: 5 }, (_, n) => read(`f${n}`));
  expect([
    await rounds(reads, 2),
    await rounds([delegate(false), delegate(false), delegate(false), ...reads.slice(0, 3)], 2),
    await rounds([delegate(false), delegate(false), read("a"), read("b")], 1),
  ]).toEqual([
    [[0, 1], [2, 3], [4]],
    [[0, 1, 2, 3, 4], [5]],
    [[0], [1], [2], [3]],
  ]);
});

test("what a call touches is asked only when nothing before it can move it any more", async () => {
  const order: string[] = [];
  const step = (name: string, claim: Claim): ScheduledCall => ({
    effect: claim.kind,
    claim: async () => {
      order.push(`claim ${name}`);
      return claim;
    },
    run: async () => {
      order.push(`run ${name}`);
    },
  });
  await runInOrder(
    [step("shell", exclusive), step("edit", write("a")), step("child", delegate(true)), step("read", read("a"))],
    10,
  );
  expect(order).toEqual([
    "claim shell",
    "run shell",
    "claim edit",
    "claim child",
    "run edit",
    "run child",
    "claim read",
    "run read",
  ]);
});

test("two names that one file may have are one resource", () => {
  const composed = resourceAt("/r/\u00e9.ts");
  expect([composed === resourceAt("/r/e\u0301.ts"), resourceAt("/r/A.ts") === resourceAt("/r/a.TS")]).toEqual([
    true,
    true,
  ]);
  expect(conflict(write("/"), read("/a"))).toBe(true);
});
