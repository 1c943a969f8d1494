// A lone agent's budget: what a request and its further attempts can cost at the most must fit, computed by hand.

import { expect, test } from "vitest";
import type { RequestPlan } from "../agent/spec.ts";
import { simHost } from "../testing/sim/host.ts";
import { SoloBudget } from "./solo-budget.ts";

/** A dollar a thousand tokens of input, two a thousand of output. */
const price = { inputUsdPerMtok: 1_000, cachedUsdPerMtok: 1_000, outputUsdPerMtok: 2_000 };
const plan: RequestPlan = {
  turn: 1,
  system: "",
  messages: [{ role: "user", text: "x" }],
  tools: [],
  outputTokensMax: 1_000,
  lastUsage: null,
};
/** `{"system":"","messages":[{"role":"user","text":"x"}],"tools":[]}` has 64 bytes: 64 tokens at the most, 6.4 cents. */
const inputUsd = 0.064;

const budgetOf = (budgetUsd: number | null, minutes: number | null = null) => {
  const { clock } = simHost({ seed: 1 });
  return new SoloBudget({ clock, price, budgetUsd, minutes });
};
const attempt = (mayCost: boolean) => ({
  number: 1,
  outcome: "error" as const,
  error: null,
  mayCost,
  usage: { inputTokens: 0, cachedTokens: 0, outputTokens: 0 },
  startMs: 0,
  waitedMs: 0,
  durationMs: 0,
});
const reportOf = (...costs: readonly (number | "unavailable")[]) => {
  const usage = { inputTokens: 0, cachedTokens: 0, outputTokens: 0 };
  return {
    turn: 1,
    provider: "p",
    scripted: false,
    outcome: "end" as const,
    error: null,
    usage,
    costUsd: 0,
    charges: costs.map((costUsd) => ({ usage, costUsd })),
    attempts: [],
    startMs: 0,
    endMs: 0,
    durationMs: 0,
    waitedMs: 0,
  };
};

test("a request is made shorter to fit, and not made where even a short answer does not fit", () => {
  expect(budgetOf(null).before(plan)).toEqual({ kind: "go", outputTokensMax: 1_000 });
  expect(budgetOf(inputUsd + 2).before(plan)).toEqual({ kind: "go", outputTokensMax: 1_000 });
  expect(budgetOf(inputUsd + 1.2).before(plan)).toEqual({ kind: "go", outputTokensMax: 600 });
  expect(budgetOf(inputUsd + 1).before(plan)).toEqual({
    kind: "stop",
    reason: "the budget of $1.064 has $1.0640 left, too little for another request",
  });
});

test("S17: what is spent counts; a cost that nobody tells counts with the most it can have been", () => {
  const budget = budgetOf(5.001);
  budget.before(plan);
  budget.after(reportOf(1.5));
  expect(budget.before(plan)).toEqual({ kind: "go", outputTokensMax: 1_000 });
  // 5.001 - 1.5 - 2.064 = 1.437 are left: 0.064 for the input and 686 tokens of output.
  budget.after(reportOf("unavailable"));
  expect(budget.before(plan)).toEqual({ kind: "go", outputTokensMax: 686 });
});

test("another attempt is made only if it fits beside those that may have been charged for", () => {
  const budget = budgetOf(5);
  budget.before(plan);
  const asked = [attempt(false), attempt(true), attempt(false), attempt(true)].map((failed) => budget.mayRetry(failed));
  expect(asked).toEqual([null, null, null, "the budget of $5 has no room for another attempt"]);
});

test("time that is over ends it before the next request", async () => {
  const host = simHost({ seed: 1 });
  const budget = new SoloBudget({ clock: host.clock, price: null, budgetUsd: null, minutes: 2 });
  expect(budget.before(plan).kind).toBe("go");
  await host.run(host.clock.sleep(120_001));
  expect(budget.before(plan)).toEqual({ kind: "stop", reason: "the time limit of 2 min is reached" });
});
