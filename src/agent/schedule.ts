// Which calls of one response run together: pure. Consecutive reads share a stage, every other call is a stage of its own,
// and stages run one after another, so each call sees what it would have seen in sequence.

import type { Effect } from "./tool.ts";

/** Reads of one stage that run at the same time. */
export const callsAtOnceMax = 10;

/** Indexes of the calls by stage, in request order; each index is in exactly one stage. */
export function stages(effects: readonly Effect[]): readonly (readonly number[])[] {
  const result: number[][] = [];
  let reads: number[] | null = null;
  for (const [index, effect] of effects.entries()) {
    if (effect === "read" && reads !== null) {
      reads.push(index);
      continue;
    }
    const stage = [index];
    result.push(stage);
    reads = effect === "read" ? stage : null;
  }
  return result;
}

/** Runs `work` for every item, at most `atOnceMax` at a time, starting them in order. `work` must not reject. */
export async function runTogether(
  items: readonly number[],
  atOnceMax: number,
  work: (item: number) => Promise<void>,
): Promise<void> {
  const waiting = items.values();
  const lane = async () => {
    for (const item of waiting) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(atOnceMax, items.length) }, lane));
}
