// The diff by its defining property and by examples worked out by hand.

import fc from "fast-check";
import { expect, test } from "vitest";
import { type Change, diffItems } from "./diff.ts";

const diff = (a: string, b: string): Change[] | null => {
  const items = (text: string): Int32Array => Int32Array.from(text, (letter) => letter.charCodeAt(0));
  return diffItems(items(a), items(b), { steps: 1_000_000 });
};

test("the changes turn one sequence into the other, with something common between any two", () => {
  const word = fc.string({ unit: fc.constantFrom("a", "b", "c", "d"), maxLength: 60, size: "max" });
  fc.assert(
    fc.property(word, word, (a, b) => {
      const changes = diff(a, b)!;
      let at = 0;
      let built = "";
      for (const { aFrom, aTo, bFrom, bTo } of changes) {
        built += a.slice(at, aFrom) + b.slice(bFrom, bTo);
        at = aTo;
      }
      expect(built + a.slice(at)).toBe(b);
      expect(changes.every(({ aFrom }, index) => index === 0 || aFrom > changes[index - 1]!.aTo)).toBe(true);
    }),
    { seed: 11, numRuns: 2_000 },
  );
});

test("an inserted repeat is placed as far down as it slides", () => {
  // By hand: "abab" has an "ab" more than "ab"; git shows the last one as new.
  expect(diff("xaby", "xababy")).toEqual([{ aFrom: 3, aTo: 3, bFrom: 3, bTo: 5 }]);
});

test("a deletion slides level with the insertion beside it", () => {
  // By hand: one "a" less and "c" for "b": one replacement instead of two changes with an "a" between.
  expect(diff("xabay", "xacy")).toEqual([{ aFrom: 2, aTo: 4, bFrom: 2, bTo: 3 }]);
});

test("a spent budget gives no diff", () => {
  const items = (first: number): Int32Array =>
    Int32Array.from({ length: 400 }, (_, index) => (index * index + first) % 7);
  expect(diffItems(items(0), items(3), { steps: 100 })).toBeNull();
});
