// The ways a run ends, what each carries, and what is recorded of it.

import { expect, test } from "vitest";
import { asCallId } from "../base/ids.ts";
import { err } from "../base/result.ts";
import type { StreamEvent } from "../model/provider.ts";
import { call, calling, rig, saying, textTool, tool, USAGE } from "../testing/agent/rig.ts";
import { runAgent } from "./loop.ts";
import type { RequestReport } from "./request-report.ts";
import type { AgentResult, RequestLeave, RequestPlan } from "./spec.ts";

const look = textTool("look", "read", "nothing new");

/** The ending without its sums. */
function ending({ messages: _messages, requests: _requests, turn: _turn, totals: _totals, ...rest }: AgentResult) {
  return rest;
}

test("a model that ends its turn without a call has stopped; usage and cost are summed", async () => {
  const one = rig({ answers: [calling(call("c1", "look")), saying("all done")], tools: [look] });
  // 60 fresh tokens at 10, 40 cached at 1 and 10 output at 100 dollars per million: 1,640 micro-dollars a request.
  expect(await runAgent(one.spec, one.ports)).toEqual({
    kind: "stopped",
    text: "all done",
    requests: 2,
    turn: 2,
    messages: [
      { role: "user", text: "go" },
      { role: "assistant", text: "", calls: [call("c1", "look")] },
      { role: "tool", results: [{ callId: "c1", name: "look", text: "nothing new", isError: false }] },
      { role: "assistant", text: "all done", calls: [] },
    ],
    totals: {
      requests: 2,
      usage: { inputTokens: 200, cachedTokens: 80, outputTokens: 20 },
      costUsd: 0.00328,
      known: { inputTokens: 200, cachedTokens: 80, outputTokens: 20, costUsd: 0.00328 },
      requestsIncomplete: 0,
      requestsUnpriced: 0,
    },
  });
});

test("a request carries who asks, the turn that goes on counting, and the tools", async () => {
  const one = rig({ answers: [saying("done")], tools: [look] });
  await runAgent({ ...one.spec, firstTurn: 6, taskKeys: ["parse"] }, one.ports);
  expect(one.provider.requests).toEqual([
    {
      context: { agent: "a1", parent: null, role: "worker", task: null, taskKeys: ["parse"], turn: 7 },
      system: "You test.",
      messages: [{ role: "user", text: "go" }],
      tools: [look.spec],
      outputTokensMax: 16_384,
    },
  ]);
});

test("H16 reaching the turn limit is turn-limit, not success", async () => {
  let n = 0;
  const counts = textTool("counts", "read", () => String(n++));
  const one = rig({
    answers: [1, 2, 3].map((id) => calling(call(`c${id}`, "counts"))),
    tools: [counts],
    limits: { turnsMax: 3 },
  });
  const result = await runAgent(one.spec, one.ports);
  expect({ ending: ending(result), requests: result.requests, last: result.messages.at(-1)?.role }).toEqual({
    ending: { kind: "turn-limit", turnsMax: 3 },
    requests: 3,
    last: "tool",
  });
});

test("S13 the same call with the same result again and again ends the run", async () => {
  const one = rig({
    answers: [1, 2, 3].map((id) => calling(call(`c${id}`, "look"))),
    tools: [look],
    limits: { repeatsMax: 3 },
  });
  expect(ending(await runAgent(one.spec, one.ports))).toEqual({
    kind: "no-progress",
    reason: "the same calls with the same arguments gave the same results 3 times in a row (look)",
  });
});

test("H16 a provider's error ends the run with its text, and the request is recorded", async () => {
  const error = { kind: "model", code: "overloaded", message: "try later", retryAfterMs: 1_500 } as const;
  const one = rig({
    answers: [
      [
        { kind: "text", text: "I wi" },
        { kind: "error", error },
      ],
    ],
  });
  const result = await runAgent(one.spec, one.ports);
  const requests = one.entries.flatMap((entry) => (entry.kind === "request" ? [entry.report] : []));
  expect({ ending: ending(result), messages: result.messages, requests }).toEqual({
    ending: { kind: "model-error", error },
    messages: [{ role: "user", text: "go" }],
    requests: [
      {
        turn: 1,
        provider: "test/prepared",
        scripted: true,
        outcome: "error",
        error,
        usage: { inputTokens: "unavailable", cachedTokens: "unavailable", outputTokens: "unavailable" },
        costUsd: "unavailable",
        charges: [
          {
            usage: { inputTokens: "unavailable", cachedTokens: "unavailable", outputTokens: "unavailable" },
            costUsd: "unavailable",
          },
        ],
        attempts: [],
        startMs: 1_000,
        endMs: 1_000,
        durationMs: 0,
        waitedMs: 0,
      },
    ],
  });
});

test("answers that break off, are empty or throw are errors, never an empty success", async () => {
  const broken: readonly (readonly StreamEvent[])[][] = [
    [[{ kind: "text", text: "half" }]],
    [[{ kind: "call", call: call("c1", "look") }]],
    [[{ kind: "done", stop: "end", usage: USAGE }]],
    [],
  ];
  const codes = [];
  for (const answers of broken) {
    const one = rig({ answers, tools: [look] });
    const result = await runAgent(one.spec, one.ports);
    codes.push(result.kind === "model-error" ? result.error.code : result.kind);
  }
  expect(codes).toEqual(["bad-answer", "bad-answer", "no-content", "other"]);
});

test("an answer cut off before any call is gone on with, but not for ever", async () => {
  const cut: readonly StreamEvent[] = [
    { kind: "text", text: "a long story" },
    { kind: "done", stop: "length", usage: USAGE },
  ];
  const some = rig({ answers: [cut, cut, saying("done")] });
  const all = rig({ answers: [cut, cut, cut] });
  const [ended, failed] = [await runAgent(some.spec, some.ports), await runAgent(all.spec, all.ports)];
  expect({ ended: ending(ended), roles: ended.messages.map((message) => message.role), failed: failed.kind }).toEqual({
    ended: { kind: "stopped", text: "done" },
    roles: ["user", "assistant", "user", "assistant", "user", "assistant"],
    failed: "model-error",
  });
});

test("a budget's reason keeps the request from being made", async () => {
  const one = rig({ answers: [calling(call("c1", "look"))], tools: [look] });
  const asked: number[] = [];
  const reports: RequestReport[] = [];
  const result = await runAgent(one.spec, {
    ...one.ports,
    beforeRequest: async ({ turn, outputTokensMax }) => {
      asked.push(turn);
      if (turn === 2) return { kind: "stop", reason: "the goal's budget of $1 is spent" };
      return { kind: "go", outputTokensMax };
    },
    afterRequest: async (report) => void reports.push(report),
  });
  expect({
    ending: ending(result),
    asked,
    made: one.provider.requests.length,
    reported: reports.map((report) => report.costUsd),
  }).toEqual({
    ending: { kind: "budget", reason: "the goal's budget of $1 is spent" },
    asked: [1, 2],
    made: 1,
    reported: [0.00164],
  });
});

test("H10 a run that is cancelled before it asks makes no request", async () => {
  const one = rig({ answers: [] });
  one.abort.abort();
  const result = await runAgent(one.spec, one.ports);
  expect({ ending: ending(result), requests: one.provider.requests.length }).toEqual({
    ending: { kind: "cancelled" },
    requests: 0,
  });
});

test("a provider that hangs does not hold a cancelled run", async () => {
  const one = rig({ answers: [] });
  const hangs = {
    ...one.provider,
    name: "test/hangs",
    async *request(): AsyncGenerator<StreamEvent> {
      yield { kind: "text", text: "let me th" };
      one.abort.abort();
      await new Promise(() => {});
    },
  };
  const result = await runAgent(one.spec, { ...one.ports, provider: hangs });
  expect({ ending: ending(result), messages: result.messages, requests: result.requests }).toEqual({
    ending: { kind: "cancelled" },
    messages: [{ role: "user", text: "go" }],
    requests: 1,
  });
});

test("what cannot be recorded is not done", async () => {
  let ran = 0;
  const acts = tool("acts", "write", async () => ({ kind: "text", text: String(ran++) }));
  const one = rig({ answers: [calling(call("c1", "acts"))], tools: [acts] });
  const error = { kind: "file", code: "no-space", path: "/agents/a1.jsonl", message: "no space left" } as const;
  const result = await runAgent(one.spec, {
    ...one.ports,
    record: {
      append: async (...entries) =>
        entries.some((entry) => entry.kind === "message" && entry.message.role === "assistant")
          ? err(error)
          : { ok: true, value: undefined },
    },
  });
  expect({ ending: ending(result), ran, last: result.messages.at(-1) }).toEqual({
    ending: { kind: "record-failed", error },
    ran: 0,
    last: {
      role: "tool",
      results: [{ callId: "c1", name: "acts", text: "not run: the session could not be recorded", isError: true }],
    },
  });
});

test("request and answer are one write, made before the bill and before the calls run", async () => {
  const steps: string[] = [];
  const looks = tool("look", "read", async () => {
    steps.push("runs look");
    return { kind: "text", text: "nothing new" };
  });
  const one = rig({ answers: [calling(call("c1", "look")), saying("done")], tools: [looks] });
  await runAgent(one.spec, {
    ...one.ports,
    record: {
      append: async (...entries) => {
        const kinds = entries.map((entry) => (entry.kind === "message" ? `message ${entry.message.role}` : entry.kind));
        steps.push(kinds.join(" + "));
        return { ok: true, value: undefined };
      },
    },
    afterRequest: async ({ turn }) => void steps.push(`bills ${turn}`),
  });
  expect(steps).toEqual([
    "start",
    "message user",
    "request + message assistant",
    "bills 1",
    "runs look",
    "result",
    "request + message assistant",
    "bills 2",
    "end",
  ]);
});

test("a leave is asked for with all that will be sent and the last answer's usage, and its output limit is sent", async () => {
  const usage = { inputTokens: 7, cachedTokens: 0, outputTokens: 3 };
  const one = rig({
    answers: [calling(call("c1", "look")), saying("done", usage)],
    tools: [look],
    limits: { outputTokensMax: 500 },
  });
  const plans: RequestPlan[] = [];
  const beforeRequest = async (plan: RequestPlan): Promise<RequestLeave> => {
    plans.push(plan);
    return { kind: "go", outputTokensMax: plan.turn === 1 ? 500 : 20 };
  };
  const { messages } = await runAgent(one.spec, { ...one.ports, beforeRequest });
  const plan = { system: "You test.", tools: [look.spec], outputTokensMax: 500 };
  expect({ plans, sent: one.provider.requests.map((request) => request.outputTokensMax) }).toEqual({
    plans: [
      { ...plan, turn: 1, messages: messages.slice(0, 1), lastUsage: null },
      { ...plan, turn: 2, messages: messages.slice(0, 3), lastUsage: USAGE },
    ],
    sent: [500, 20],
  });
});

test("what a model is told of its output limit is the limit it had", async () => {
  const cut: readonly StreamEvent[] = [
    { kind: "text", text: "a long story" },
    { kind: "done", stop: "length", usage: USAGE },
  ];
  const one = rig({ answers: [cut, saying("done")] });
  const beforeRequest = async (): Promise<RequestLeave> => ({ kind: "go", outputTokensMax: 20 });
  const { messages } = await runAgent(one.spec, { ...one.ports, beforeRequest });
  expect(messages[2]).toEqual({
    role: "user",
    text: "Your last answer was cut off at the output limit of 20 tokens. Go on from there, in shorter answers.",
  });
});

test("a leave for more output than was planned, or for none, is a bug of whoever gives it", async () => {
  for (const outputTokensMax of [0, 16_385]) {
    const one = rig({ answers: [saying("done")] });
    const ports = { ...one.ports, beforeRequest: async () => ({ kind: "go", outputTokensMax }) as const };
    await expect(runAgent(one.spec, ports)).rejects.toThrow("a leave is for 1 token of output up to what was planned");
  }
});

test("a history with an unanswered call is a bug of the caller", async () => {
  const one = rig({
    answers: [],
    messages: [
      {
        role: "assistant",
        text: "",
        calls: [{ id: asCallId("c1"), name: "look", arguments: { kind: "parsed", value: {} } }],
      },
      { role: "user", text: "go on" },
    ],
  });
  await expect(runAgent(one.spec, one.ports)).rejects.toThrow(
    "each call of a history has one result, in request order",
  );
});
