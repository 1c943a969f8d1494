// The next step for each way in which work can fail. The reasons are those that the swarm itself gives.

import { expect, test } from "vitest";
import { budgetSpent, failedAttempts } from "../model/spent.ts";
import { describeAppendError } from "../swarm/coordinator/append-error.ts";
import { limitReached } from "../swarm/tasks.ts";
import { adviceFor } from "./advice.ts";

test.each([
  [describeAppendError({ kind: "no-space", message: "ENOSPC" }), "free space where the run is kept"],
  [describeAppendError({ kind: "stopped", message: "EIO" }), "see what is wrong with the disk that holds the run"],
  [limitReached({ failures: { requests: 0, attempts: 0, usd: 0, last: null } }, 10), "use a larger --max-requests"],
  ["the budget of $5 has $0.0100 left, too little for another request", "use a larger --budget"],
  [
    limitReached(
      { failures: { requests: 2, attempts: 0, usd: 0, last: "the model openai/m failed (other): status 500" } },
      10,
    ),
    "the provider failed again and again: try again later, or name another model; then use a larger --max-requests, since failed requests count",
  ],
  [
    `${budgetSpent("the budget of $5", { leftUsd: 0.01, neededUsd: 0.2 })}; ${failedAttempts({ attempts: 3, usd: 4 })}, the last: the model openai/m failed (network): ECONNRESET`,
    "the connection to the server breaks off: see the connection and the server; then use a larger --budget, since what the failed attempts may have cost stays counted",
  ],
  ["the time limit of 10 min is reached", "use a larger --max-minutes"],
  [
    "the model failed (rate-limit): status 429: slow down; given up after 100 attempts",
    "the provider refused for too long: try again later, with fewer --workers or --requests-per-minute, or name another model",
  ],
  [
    "the model openai-chat/test-model failed (unreachable): the connection failed: ECONNREFUSED",
    "the server cannot be reached: see its address (--base-url), that it runs, and the connection",
  ],
  ["internal error: the workspace cannot be made: ENOSPC: no space left on device", "free space where the run is kept"],
  ["the disk refused: /s/agents/a1.jsonl: EDQUOT: disk quota exceeded, write", "free space where the run is kept"],
  [
    "the disk refused: git fast-import failed: fatal: write error: No space left on device",
    "free space where the run is kept",
  ],
  [
    "the disk refused: /s/agents/a1.jsonl: EROFS: read-only file system, write",
    "make the disk that holds the run writable again",
  ],
  ["the disk refused: /s/agents/a1.jsonl: EIO: i/o error, write", "see what is wrong with the disk that holds the run"],
  ["internal error: x is undefined", "this is a fault of skein: please report it; what landed is kept"],
  ["the model failed (unknown-code): x", null],
  ["a worker wrote: the disk is full: ENOSPC", null],
  ["the goal's planner handed off", null],
])("%s", (reason, advice) => {
  expect(adviceFor(reason)).toBe(advice);
});
