// Slices of work between commits: how many of them go each time.

import { expect, test } from "vitest";
import { Turns, turnBytes } from "./turns.ts";

/** What went in the first turn, the second, and so on. */
async function turnsOf(slices: readonly (number | undefined)[]): Promise<readonly (readonly number[])[]> {
  const acts: (() => void)[] = [];
  const turns = new Turns((act) => acts.push(act));
  let gone: number[] = [];
  for (const [index, bytes] of slices.entries()) void turns.next(bytes).then(() => gone.push(index));
  const all: number[][] = [];
  for (;;) {
    await new Promise(setImmediate);
    if (gone.length > 0) all.push(gone);
    gone = [];
    const act = acts.shift();
    if (act === undefined) return all;
    act();
  }
}

test("small slices go together, in the order in which they were asked for", async () => {
  const quarter = turnBytes / 4;
  expect(await turnsOf([8, quarter, quarter, quarter, quarter, quarter])).toEqual([[0, 1, 2, 3, 4], [5]]);
});

test("a large slice, and one of no known size, ends its turn, and none is passed over for a smaller one", async () => {
  expect(await turnsOf([2 * turnBytes, undefined, 8, 4 * turnBytes, 8])).toEqual([[0], [1], [2, 3], [4]]);
});
