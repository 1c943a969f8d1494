// Sums of usage: a figure that is missing stays missing in the sum and is counted.

import { expect, test } from "vitest";
import { addRequest, NO_TOTALS } from "./totals.ts";

test("H23 a missing figure makes the sum unavailable, never 0, and the totals say how many are missing", () => {
  const first = addRequest(NO_TOTALS, [
    { usage: { inputTokens: 100, cachedTokens: 40, outputTokens: 10 }, costUsd: 0.5 },
  ]);
  const second = addRequest(first, [
    { usage: { inputTokens: 7, cachedTokens: "unavailable", outputTokens: 3 }, costUsd: "unavailable" },
  ]);
  expect({ first, second }).toEqual({
    first: {
      requests: 1,
      usage: { inputTokens: 100, cachedTokens: 40, outputTokens: 10 },
      costUsd: 0.5,
      known: { inputTokens: 100, cachedTokens: 40, outputTokens: 10, costUsd: 0.5 },
      requestsIncomplete: 0,
      requestsUnpriced: 0,
    },
    second: {
      requests: 2,
      usage: { inputTokens: 107, cachedTokens: "unavailable", outputTokens: 13 },
      costUsd: "unavailable",
      known: { inputTokens: 107, cachedTokens: 40, outputTokens: 13, costUsd: 0.5 },
      requestsIncomplete: 1,
      requestsUnpriced: 1,
    },
  });
});
