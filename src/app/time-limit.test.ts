// The time of a run: it cuts what runs, and who was first, the person or the limit, is what the end says.

import { expect, test } from "vitest";
import { StillClock } from "../testing/agent/rig.ts";
import { timeLimit } from "./time-limit.ts";

test("the limit aborts when its time is over, and says so unless the person was first or it has ended", () => {
  const clock = new StillClock();
  const [person, early] = [new AbortController(), new AbortController()];
  const limits = [
    timeLimit(clock, 1, person.signal),
    timeLimit(clock, 1, early.signal),
    timeLimit(clock, null, person.signal),
    timeLimit(clock, 1, person.signal),
  ];
  limits[3]?.end();
  early.abort();
  clock.move(59_999);
  const before = limits.map(({ signal }) => signal.aborted);
  clock.move(1);
  const reason = "the time limit of 1 min is reached";
  expect([before, limits.map(({ signal }) => signal.aborted), limits.map((one) => one.reached())]).toEqual([
    [false, true, false, false],
    [true, true, false, false],
    [reason, null, null, null],
  ]);
  person.abort();
  expect(limits.map(({ signal }) => signal.aborted)).toEqual([true, true, true, false]);
});
