// Columns give back what was pushed, over page borders, and take their own parts again.

import { expect, test } from "vitest";
import { F64Column, HexColumn, pageRows, U32Column } from "./columns.ts";

const rows = 2 * pageRows + 3;
const numbers = Array.from({ length: rows }, (_, row) => (row * 2_654_435_761) % 2 ** 32);
const ids = numbers.map((number, row) => `${number.toString(16).padStart(8, "0")}${row.toString(16).padStart(8, "0")}`);

test("rows come back as they were pushed", () => {
  const [u32, f64, hex] = [new U32Column(), new F64Column(), new HexColumn(8)];
  for (const [row, number] of numbers.entries()) {
    u32.push(number);
    f64.push(number + 0.5);
    hex.push(ids[row] ?? "");
  }
  const all = numbers.map((_, row) => [u32.get(row), f64.get(row), hex.get(row)]);
  expect(all).toEqual(numbers.map((number, row) => [number, number + 0.5, ids[row]]));
  expect([u32.length, hex.head(1), hex.isHex(1, ids[1] ?? "")]).toEqual([
    rows,
    Buffer.from(ids[1] ?? "", "hex").readUInt32LE(0),
    true,
  ]);
});

test("the parts of the first rows make the same column again", () => {
  const [from, to] = [new HexColumn(8), new HexColumn(8)];
  for (const id of ids) from.push(id);
  const parts = from.parts(rows - 1);
  from.push("ff".repeat(8));
  const taken = [...parts].map((part) => to.pushPart(part));
  expect([taken, to.length, Array.from({ length: rows - 1 }, (_, row) => to.get(row))]).toEqual([
    [true, true, true],
    rows - 1,
    ids.slice(0, -1),
  ]);
});

test("what is no part is refused: too long, not whole rows, or after a page that is not full", () => {
  const column = new U32Column();
  const sizes = [pageRows * 4 + 4, 6, 0, 8, 8];
  expect(sizes.map((size) => column.pushPart(new Uint8Array(size)))).toEqual([false, false, false, true, false]);
});
