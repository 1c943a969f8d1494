// Turns between owners, order within one, and taking out of the middle.

import { expect, test } from "vitest";
import { FairQueue } from "./fair-queue.ts";

function queueOf(...items: readonly string[]): FairQueue<string, string> {
  const queue = new FairQueue<string, string>();
  for (const item of items) queue.add(item.charAt(0), item);
  return queue;
}

function drain(queue: FairQueue<string, string>): readonly string[] {
  const items: string[] = [];
  for (let item = queue.shift(); item !== undefined; item = queue.shift()) items.push(item);
  return items;
}

test("one item an owner: first in, first out", () => {
  expect(drain(queueOf("c1", "a1", "b1"))).toEqual(["c1", "a1", "b1"]);
});

test("owners take turns; an owner's items keep their order", () => {
  expect(drain(queueOf("a1", "a2", "a3", "b1", "c1", "b2"))).toEqual(["a1", "b1", "c1", "a2", "b2", "a3"]);
});

test("what is removed is never handed out, and the size is right all along", () => {
  const queue = queueOf("a1", "a2", "b1", "c1", "c2");
  queue.remove("a", "a1");
  queue.remove("b", "b1");
  queue.remove("b", "nothing");
  const gone = queue.removeWhere((item) => item.endsWith("1"));
  expect({ gone, size: queue.size, left: drain(queue), end: queue.size }).toEqual({
    gone: ["c1"],
    size: 2,
    left: ["a2", "c2"],
    end: 0,
  });
});
