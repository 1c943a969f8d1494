// Contents read last are kept up to a number of bytes, as copies.

import { expect, test } from "vitest";
import { asBlobId } from "../../base/ids.ts";
import { RecentReads } from "./recent-reads.ts";

const idOf = (number: number) => asBlobId(String(number).padStart(40, "0"));

test("the least recently used go first, and large contents are not kept", () => {
  const reads = new RecentReads(300);
  for (const number of [1, 2, 3]) reads.add(idOf(number), new Uint8Array(100).fill(number));
  reads.get(idOf(1));
  reads.add(idOf(4), new Uint8Array(100).fill(4));
  reads.add(idOf(5), new Uint8Array(301));
  expect([1, 2, 3, 4, 5].map((number) => reads.get(idOf(number))?.[99] ?? null)).toEqual([1, null, 3, 4, null]);
});

test("what a caller does with its bytes changes nothing", () => {
  const reads = new RecentReads(300);
  const given = new Uint8Array([1, 2]);
  reads.add(idOf(1), given);
  given.fill(9);
  reads.get(idOf(1))?.fill(9);
  expect(reads.get(idOf(1))).toEqual(new Uint8Array([1, 2]));
});
