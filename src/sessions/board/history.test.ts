// Times of a day, by hand: minutes of a clock that begins at 0.

import { expect, test } from "vitest";
import { decodeLine, encodeLine, type NewLine } from "../presence/line.ts";
import { type History, nothingSpent, spentIn } from "./history.ts";

const MINUTE = 60_000;
const lines = (...all: readonly (readonly [number, Omit<NewLine, "at">])[]) =>
  all.flatMap(
    ([minute, line]) => decodeLine(new TextDecoder().decode(encodeLine({ at: minute * MINUTE, ...line }))) ?? [],
  );
const prompt = { kind: "prompt", person: true } as const;
const over = { kind: "turn-ended", background: 0 } as const;
const history = (all: History["lines"], lastMinute: number, evidence: History["evidence"] = []): History => ({
  lines: all,
  evidence,
  lastAt: lastMinute * MINUTE,
});

test("B13 work and waits of a day, with the longest and its beginning", () => {
  const day = lines(
    [10, prompt],
    [20, over],
    [25, prompt],
    [26, { kind: "waiting", reason: "permission: Bash" }],
    [40, { kind: "shell-ended" }],
    [50, over],
  );
  expect(spentIn({ from: 0, to: 60 * MINUTE }, history(day, 60))).toEqual({
    workedMs: 21 * MINUTE,
    waitedMs: 29 * MINUTE,
    longestWaitMs: 14 * MINUTE,
    longestWaitAt: 26 * MINUTE,
    turns: 2,
    prompts: 2,
  });
});

test("B13 what began yesterday counts from midnight on, and ends with the last sign of life", () => {
  const day = lines([10, prompt], [20, over], [70, prompt]);
  expect(spentIn({ from: 60 * MINUTE, to: 200 * MINUTE }, history(day, 90))).toEqual({
    ...nothingSpent,
    workedMs: 20 * MINUTE,
    waitedMs: 10 * MINUTE,
    longestWaitMs: 10 * MINUTE,
    longestWaitAt: 60 * MINUTE,
    prompts: 1,
  });
});

test("P18 B13 an interrupt that only the transcript knows ends the work", () => {
  const interrupt = { evidence: { kind: "interrupted", at: 15 * MINUTE }, source: "transcript" } as const;
  const spent = spentIn({ from: 0, to: 30 * MINUTE }, history(lines([10, prompt]), 30, [interrupt]));
  expect([spent.workedMs, spent.waitedMs]).toEqual([5 * MINUTE, 15 * MINUTE]);
});

test("B13 a session that ended, a clock that stepped back, and no line at all", () => {
  const gone = lines([10, prompt], [12, { kind: "session-ended", reason: "exit" }]);
  const stepped = lines([10, prompt], [30, over], [20, prompt], [40, over]);
  const stretch = { from: 0, to: 60 * MINUTE };
  const total = (one: History) => {
    const { workedMs, waitedMs } = spentIn(stretch, one);
    return [workedMs / MINUTE, waitedMs / MINUTE];
  };
  expect([total(history(gone, 60)), total(history([], 60))]).toEqual([
    [2, 0],
    [0, 0],
  ]);
  const [worked = 0, waited = 0] = total(history(stepped, 60));
  expect(worked + waited).toBe(50);
});
