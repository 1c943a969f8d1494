// A row of reads down a file costs a few reads of the disk, and gives what the file has there.

import { expect, test } from "vitest";
import { ok } from "../../base/result.ts";
import { ReadAhead } from "./read-ahead.ts";

const file = Buffer.from(Array.from({ length: 1_000_000 }, (_, at) => (at * 7 + (at >> 8)) % 256));

function rig(length = file.length) {
  const reads: (readonly [offset: number, length: number])[] = [];
  const ahead = new ReadAhead(
    {
      async read(_, offset, wanted) {
        reads.push([offset, wanted]);
        return ok(new Uint8Array(file.subarray(offset, Math.min(length, offset + wanted))));
      },
    },
    1024 * 1024,
  );
  return { reads, ahead };
}

async function row({ ahead }: ReturnType<typeof rig>, end: number, places: readonly number[]): Promise<boolean> {
  const found = await Promise.all(places.map((at) => ahead.read("f", at, 1_000, end)));
  return found.every((read, index) => {
    const at = places[index] ?? 0;
    return read.ok && Buffer.compare(read.value, file.subarray(at, at + 1_000)) === 0;
  });
}

const places = Array.from({ length: 200 }, (_, index) => 5_000 + index * 1_200);

test("a row of 200 reads is five reads of the file, also of many at once", async () => {
  const it = rig();
  expect(await row(it, file.length, places)).toBe(true);
  // Four by themselves, until they are seen to be a row; the other 196 lie in 235,200 bytes.
  expect(it.reads).toEqual([
    [5_000, 1_000],
    [6_200, 1_000],
    [7_400, 1_000],
    [8_600, 1_000],
    [9_800, 262_144],
  ]);
});

test("nothing from the end on is read, and reads here and there are read by themselves", async () => {
  const it = rig();
  const end = 12_400;
  expect(await row(it, end, places.slice(0, 6))).toBe(true);
  expect(it.reads.slice(4)).toEqual([[9_800, 2_600]]);
  const scattered = rig();
  expect(await row(scattered, file.length, [900_000, 100, 300_000, 50_000, 200_000, 400])).toBe(true);
  expect(scattered.reads.length).toBe(6);
});

test("what a caller does with its bytes changes nothing", async () => {
  const it = rig();
  await row(it, file.length, places.slice(0, 10));
  const first = await it.ahead.read("f", 17_000, 10, file.length);
  if (first.ok) first.value.fill(0);
  const again = await it.ahead.read("f", 17_000, 10, file.length);
  expect(again).toEqual(ok(new Uint8Array(file.subarray(17_000, 17_010))));
});

test("a file that is shorter than was said is asked itself", async () => {
  const it = rig(10_000);
  await row(it, file.length, places.slice(0, 4));
  const read = await it.ahead.read("f", 9_800, 1_000, file.length);
  expect(read.ok && read.value.byteLength).toBe(200);
});
