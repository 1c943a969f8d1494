// What a job tells the coordinator of its requests: what was sent, and what never was.

import { expect, test } from "vitest";
import type { RequestReport } from "../../agent/request-report.ts";
import { asAgentId, asFence, asPosition, asTaskId } from "../../base/ids.ts";
import { parse } from "../../base/parse.ts";
import { ok, unwrap } from "../../base/result.ts";
import type { AttemptReport } from "../../model/provider.ts";
import { USAGE_NONE, USAGE_UNKNOWN } from "../../model/usage.ts";
import { type HostAsk, hostAsk, type Job } from "../../protocol/messages.ts";
import { Billing } from "./billing.ts";
import { CoordinatorClient } from "./client.ts";

const lease = { task: asTaskId("t1"), agent: asAgentId("a1"), fence: asFence(1) };
const job: Job = {
  lease,
  role: "worker",
  keys: [],
  model: "m",
  snapshot: asPosition(0),
  system: "",
  prompt: "",
  resume: "new",
  wakes: false,
  answeredTurn: 0,
  check: null,
  conflict: null,
  answersRefused: 0,
  turnsMax: 10,
  outputTokensMax: 100,
};
const plan = { turn: 1, system: "", messages: [], tools: [], outputTokensMax: 100, lastUsage: null };
const attempt: AttemptReport = {
  number: 1,
  outcome: "error",
  error: null,
  mayCost: true,
  usage: USAGE_UNKNOWN,
  startMs: 0,
  waitedMs: 0,
  durationMs: 0,
};
const report: RequestReport = {
  turn: 1,
  provider: "m",
  scripted: false,
  outcome: "aborted",
  error: null,
  usage: USAGE_NONE,
  costUsd: 0,
  charges: [],
  attempts: [],
  startMs: 0,
  endMs: 0,
  durationMs: 0,
  waitedMs: 0,
};
const charge = { usage: USAGE_UNKNOWN, costUsd: "unavailable" } as const;

function billing() {
  const asked: HostAsk[] = [];
  const client = new CoordinatorClient({
    async ask(body, parser) {
      asked.push(unwrap(parse(hostAsk, body, "ask"), "ask"));
      return ok(unwrap(parse(parser, { kind: "go", outputTokensMax: 100 }, "answer"), "answer"));
    },
    notify: () => {},
    close: () => {},
  });
  return { bill: new Billing(client, job), asked, told: () => asked.filter(({ kind }) => kind !== "request_begin") };
}

test("a request that waited for its turn until the run stopped was never made", async () => {
  const { bill, told } = billing();
  await bill.before(plan, null);
  await bill.after(report, null);
  await bill.close();
  expect(told()).toEqual([{ kind: "request_withdrawn", lease, turn: 1 }]);
});

test("a leave that was not used is given back", async () => {
  const { bill, told } = billing();
  await bill.before(plan, null);
  await bill.close();
  await bill.close();
  expect(told()).toEqual([{ kind: "request_withdrawn", lease, turn: 1 }]);
});

test("one that was sent is settled with how often it was, also where the run stopped before the next attempt", async () => {
  const { bill, told } = billing();
  await bill.before(plan, null);
  await bill.after({ ...report, attempts: [attempt, { ...attempt, mayCost: false }], charges: [charge] }, null);
  // Cut off in the middle of its third attempt, of which there is no report.
  await bill.after({ ...report, turn: 2, attempts: [attempt, attempt], charges: [charge, charge, charge] }, null);
  await bill.close();
  expect(told()).toMatchObject([
    { kind: "request_done", turn: 1, attempts: 2, failed: "aborted" },
    { kind: "request_done", turn: 2, attempts: 3, failed: "aborted" },
  ]);
});

test("S17 another attempt tells what the one before failed by; the last one is not charged where it was free", async () => {
  const { bill, asked } = billing();
  const error = { kind: "model", code: "network", message: "ECONNRESET", retryAfterMs: null } as const;
  const broken = { ...attempt, error };
  const free = { ...attempt, error: { ...error, code: "other", message: "status 500" }, mayCost: false } as const;
  await bill.before(plan, null);
  await bill.mayRetry(broken);
  await bill.mayRetry(free);
  await bill.after(
    { ...report, outcome: "error", error: free.error, attempts: [broken, free, free], charges: [charge] },
    null,
  );
  await bill.before({ ...plan, turn: 2 }, null);
  await bill.mayRetry(broken);
  await bill.after(
    { ...report, turn: 2, outcome: "end", attempts: [broken, attempt], charges: [charge, charge] },
    null,
  );
  expect(asked).toMatchObject([
    { kind: "request_begin", turn: 1, after: null, failed: null },
    { kind: "request_begin", turn: 1, after: "broken", failed: "network: ECONNRESET" },
    { kind: "request_begin", turn: 1, after: "refused", failed: "other: status 500" },
    { kind: "request_done", turn: 1, heldCharged: false, failed: "other: status 500" },
    { kind: "request_begin", turn: 2, after: null },
    { kind: "request_begin", turn: 2, after: "broken" },
    { kind: "request_done", turn: 2, heldCharged: true, failed: null },
  ]);
});
