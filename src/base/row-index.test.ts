// The index finds every row that was added and no other, also where hashes are equal.

import { expect, test } from "vitest";
import { RowIndex } from "./row-index.ts";

test("finds each of many rows by its own key, and none for another", () => {
  // Only a hundred hashes for five thousand rows: nearly all of them collide.
  const keys = Array.from({ length: 5_000 }, (_, row) => row * 7);
  const index = new RowIndex((row) => keys[row]! % 100);
  for (const [row, key] of keys.entries()) index.add(key % 100, row);
  const find = (key: number) => index.find(key % 100, (row) => keys[row] === key);
  expect([keys.map(find), find(1), find(35_000)]).toEqual([keys.map((_, row) => row), -1, -1]);
});

test("a replaced row is found no more", () => {
  const index = new RowIndex(() => 5);
  for (const row of [0, 1, 2]) index.add(5, row);
  index.replace(5, 1, 9);
  expect([0, 1, 2, 9].map((wanted) => index.find(5, (row) => row === wanted))).toEqual([0, -1, 2, 9]);
});
