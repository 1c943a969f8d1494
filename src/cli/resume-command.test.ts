// The command that goes on with a run works as it stands: with a limit that lets it go on, in the form that the flag takes.

import { expect, test } from "vitest";
import { RunBudget } from "../agent/run-budget.ts";
import { asAgentId } from "../base/ids.ts";
import { budgetSpent } from "../model/spent.ts";
import { limitReached } from "../swarm/tasks.ts";
import { simHost } from "../testing/sim/host.ts";
import { resumeCommand } from "./resume-command.ts";

const noFailures = { failures: { requests: 0, attempts: 0, usd: 0, last: null } };
const budget = (usd: number, leftUsd: number, neededUsd: number) =>
  budgetSpent(`the budget of $${usd}`, { leftUsd, neededUsd });

test.each([
  ["stopped by skein swarm stop", ""],
  ["the model a/b failed (other): the budget of $5 has $1 left", ""],
  [limitReached(noFailures, 20), " --max-requests 40"],
  [limitReached(noFailures, 6_000_000), " --max-requests 10000000"],
  ["the limit of 7 model requests of the whole run is reached", " --max-requests 14"],
  ["the time limit of 0.5 min is reached", " --max-minutes 1"],
  [budget(5, 0.01, 0.08), " --budget 10"],
  [budget(0.3, 0.02, 0.05), " --budget 0.6"],
  // A budget below one request: double would stop it again. $0.0001 is spent, and five times $0.0713 follow.
  [budget(0.01, 0.0099, 0.0713), " --budget 0.36"],
  [budget(0.000_05, 0.000_05, 0.000_031), " --budget 0.00016"],
  [`${budget(0.3, 0.02, 0.05)}; 2 attempts that failed count with $0.1 at the most, the last: x`, " --budget 0.6"],
  ["it broke off; not tried again: the budget of $2 has no room for another attempt", " --budget 4"],
])("%s", (reason, flags) => {
  expect(resumeCommand({ kind: "swarm", runId: "r", reason, spentUsd: null })).toBe(`skein swarm --resume r${flags}`);
});

test("the reasons that a lone run's limits give are known", () => {
  const price = { inputUsdPerMtok: 1_000, cachedUsdPerMtok: 1_000, outputUsdPerMtok: 2_000 };
  const payer = { agent: asAgentId("a0"), price, usdMax: null };
  const plan = { turn: 1, system: "", messages: [], tools: [], outputTokensMax: 1_000, lastUsage: null };
  const reasonOf = (limits: { budgetUsd?: number; requestsMax?: number; requestsMade?: number }) => {
    const { clock } = simHost({ seed: 1 });
    const leave = new RunBudget({ clock, budgetUsd: null, minutes: null, requestsMax: null, ...limits });
    const answer = leave.before(payer, plan);
    return answer.kind === "stop"
      ? resumeCommand({ kind: "run", runId: "r", reason: answer.reason, spentUsd: null })
      : "goes";
  };
  // `{"system":"","messages":[],"tools":[]}` has 38 bytes: $0.038 and $2 of output, five times.
  expect([reasonOf({ budgetUsd: 0.5 }), reasonOf({ requestsMax: 3, requestsMade: 3 })]).toEqual([
    "skein run --resume r --budget 11",
    "skein run --resume r --max-requests 6",
  ]);
});

test("a budget that was set below what is spent already is raised above that", () => {
  const reason = budgetSpent("the budget of $1", { leftUsd: 0, neededUsd: 0.1 });
  // Half as much again: $12; and five requests of $0.10 after $8 are $8.50.
  expect(resumeCommand({ kind: "run", runId: "r", reason, spentUsd: 8 })).toBe("skein run --resume r --budget 12");
});
