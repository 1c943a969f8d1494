// The budget of a run and its agents: what requests and their further attempts can cost at the most must fit, computed by hand.

import { expect, test } from "vitest";
import { asAgentId } from "../base/ids.ts";
import { simHost } from "../testing/sim/host.ts";
import { RunBudget } from "./run-budget.ts";
import type { RequestPlan } from "./spec.ts";

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
const [first, second] = ["a0", "a1"].map((id) => ({ agent: asAgentId(id), price, usdMax: null })) as [Payer, Payer];
type Payer = Parameters<RunBudget["before"]>[0];

const budgetOf = (budgetUsd: number | null, more: Partial<ConstructorParameters<typeof RunBudget>[0]> = {}) => {
  const { clock } = simHost({ seed: 1 });
  return new RunBudget({ clock, budgetUsd, minutes: null, requestsMax: null, ...more });
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
const costing = (...costs: readonly (number | "unavailable")[]) => {
  const usage = { inputTokens: 0, cachedTokens: 0, outputTokens: 0 };
  return { charges: costs.map((costUsd) => ({ usage, costUsd })), attempts: [], provider: "m" };
};

test("a request is made shorter to fit, and not made where even a short answer does not fit", () => {
  expect(budgetOf(null).before(first, plan)).toEqual({ kind: "go", outputTokensMax: 1_000 });
  expect(budgetOf(inputUsd + 2).before(first, plan)).toMatchObject({ kind: "go", outputTokensMax: 1_000 });
  expect(budgetOf(inputUsd + 1.2).before(first, plan)).toMatchObject({ kind: "go", outputTokensMax: 600 });
  expect(budgetOf(inputUsd + 1).before(first, plan)).toEqual({
    kind: "stop",
    reason: "the budget of $1.064 has $1.0640 left, too little for another request, which can cost $2.0640",
  });
});

test("S17: what is spent counts, before a crash too; a cost that nobody tells counts with the most it can have been", () => {
  const budget = budgetOf(6.001, { spentUsd: 1 });
  budget.before(first, plan);
  budget.after(first.agent, costing(1.5));
  expect(budget.before(first, plan)).toMatchObject({ kind: "go", outputTokensMax: 1_000 });
  // 6.001 - 1 - 1.5 - 2.064 = 1.437 are left: 0.064 for the input and 686 tokens of output.
  budget.after(first.agent, costing("unavailable"));
  expect(budget.before(first, plan)).toMatchObject({ kind: "go", outputTokensMax: 686 });
});

test("H20 what another agent has under way is held back, and free again once it is over or its leave goes unused", () => {
  const budget = budgetOf(3);
  const leaves = [budget.before(first, plan).kind, budget.before(second, plan)];
  budget.done(first.agent);
  const after = budget.before(second, plan);
  budget.after(second.agent, costing(0.5));
  expect([leaves, after, budget.before(first, plan)]).toMatchObject([
    [
      "go",
      {
        kind: "stop",
        reason: "the budget of $3 has $0.9360 left, too little for another request, which can cost $2.0640",
      },
    ],
    { kind: "go", outputTokensMax: 1_000 },
    { kind: "go", outputTokensMax: 1_000 },
  ]);
});

test("H20 an agent's own budget and the run's requests are limits too", () => {
  const budget = budgetOf(100, { requestsMax: 2 });
  expect([
    budget.before({ ...second, usdMax: inputUsd + 1.2 }, plan),
    budget.before({ ...second, usdMax: 0.5 }, plan),
    budget.before(first, plan),
    budget.before(first, plan),
  ]).toMatchObject([
    { kind: "go", outputTokensMax: 600 },
    {
      kind: "stop",
      reason: "a1's budget of $0.5 has $0.5000 left, too little for another request, which can cost $2.0640",
    },
    { kind: "go" },
    { kind: "stop", reason: "the limit of 2 model requests of the whole run is reached" },
  ]);
});

test("another attempt is made only if it fits beside those that may have been charged for", () => {
  const budget = budgetOf(5);
  budget.before(first, plan);
  const asked = [false, true, false, true].map((mayCost) => budget.mayRetry(attempt(mayCost), first));
  expect(asked).toEqual([null, null, null, "the budget of $5 has no room for another attempt"]);
});

test("time that is over ends it before the next request", async () => {
  const host = simHost({ seed: 1 });
  const budget = new RunBudget({ clock: host.clock, budgetUsd: null, minutes: 2, requestsMax: null });
  expect(budget.before(first, plan).kind).toBe("go");
  await host.run(host.clock.sleep(120_001));
  expect(budget.before(first, plan)).toEqual({ kind: "stop", reason: "the time limit of 2 min is reached" });
});

test("S17: where attempts that failed have used the budget up, the reason says by what, and not where work has", () => {
  const error = { kind: "model", code: "network", message: "the connection\nfailed", retryAfterMs: null } as const;
  const failing = { ...costing("unavailable"), attempts: [{ ...attempt(true), error }], provider: "openai/m" };
  const budget = budgetOf(3);
  budget.before(first, plan);
  budget.after(first.agent, failing);
  expect(budget.before(first, plan)).toEqual({
    kind: "stop",
    reason:
      "the budget of $3 has $0.9360 left, too little for another request, which can cost $2.0640; 1 attempt that failed counts with $2.0640 at the most, the last: the model openai/m failed (network): the connection failed",
  });
  // $0.0640 of input and 100 tokens of output at the most: too little to matter.
  const worked = budgetOf(6.2);
  worked.before(first, { ...plan, outputTokensMax: 100 });
  worked.after(first.agent, failing);
  worked.before(first, plan);
  worked.after(first.agent, costing(5.5));
  expect(worked.before(first, plan)).toMatchObject({ reason: expect.not.stringContaining("failed") });
});
