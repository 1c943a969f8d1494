// What a person is told of requests and dollars: counted and known apart from failed, untold and assumed.

import { expect, test } from "vitest";
import { requestLine, spendingLines } from "./summary.ts";

test("requests are counted once, and how often they were sent stands apart", () => {
  expect([
    requestLine({ made: 3, failed: 0, untold: 0, attempts: 3 }),
    requestLine({ made: 13, failed: 1, untold: 0, attempts: 15 }),
    requestLine({ made: 1, failed: 0, untold: 1, attempts: 1 }),
  ]).toEqual([
    "  requests   3, sent 3 times",
    "  requests   13 (1 failed), sent 15 times",
    "  requests   1 (1 whose outcome is unknown), sent at least 1 time",
  ]);
});

test("what is only assumed is not told as spent", () => {
  const budget = { budgetUsd: 5, spentUsd: 0.09, knownUsd: 0.09, assumedUsd: 0, requestsAssumed: 0 };
  const free = { budgetUsd: null, spentUsd: 0.5, knownUsd: 0.5, assumedUsd: 0, requestsAssumed: 0 };
  const unknown = { ...free, spentUsd: "unavailable", assumedUsd: "unavailable", requestsAssumed: 2 } as const;
  expect([
    spendingLines(budget),
    spendingLines({ ...budget, knownUsd: 0.07, assumedUsd: 0.02, requestsAssumed: 1 }),
    spendingLines(free),
    spendingLines(unknown),
  ]).toEqual([
    ["  budget     $0.0900 of $5.00 spent"],
    ["  budget     $0.0900 of $5.00 spent ($0.0200 of it assumed at the most: 1 request whose usage is unknown)"],
    [],
    ["  spent      at least $0.5000, and 2 requests whose usage is unknown"],
  ]);
});
