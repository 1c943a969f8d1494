// A run with children over each real protocol, in this process: a provider that refuses (429) and takes few requests at once. The servers
// refuse a history in which a call has no result, or two.

import { mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { nodeHost } from "../../src/adapters/node/host.ts";
import { runTask } from "../../src/app/run.ts";
import { unwrap } from "../../src/base/result.ts";
import { surroundingsOf } from "../../src/entries/surroundings.ts";
import { KEY, serveRules } from "../support/provider.ts";
import { sandbox } from "../support/sandbox.ts";
import { call, type Rule } from "../support/script.ts";

const kinds = [
  { kind: "anthropic", variable: "ANTHROPIC_API_KEY", path: "/v1" },
  { kind: "openai", variable: "OPENAI_API_KEY", path: "/v1" },
  { kind: "openai-chat", variable: "OPENAI_API_KEY", path: "/v1" },
  { kind: "google", variable: "GEMINI_API_KEY", path: "/v1beta" },
] as const;

const numbers = Array.from({ length: 10 }, (_, n) => n + 1);
const rules: readonly Rule[] = [
  { role: "solo", turn: 1, calls: numbers.map((n) => call("delegate_task", { task: `Look at ${n}` })) },
  ...numbers.map((n) => ({
    role: "child",
    task: `a${n}`,
    turn: 1,
    delayMs: 30,
    calls: [call("glob", { pattern: `*${n}` })],
  })),
  ...numbers.map((n) => ({ role: "child", task: `a${n}`, turn: 2, say: `seen ${n}` })),
  { role: "solo", turn: 2, last: numbers.map((n) => `seen ${n}`).join("[^]*"), say: "All in order." },
];

test.for(kinds)(
  "H18 $kind: ten children in a storm of 429 all come to their end, in order",
  async ({ kind, variable, path }) => {
    using box = sandbox();
    const directory = join(box.root, "work");
    mkdirSync(directory);
    let refusals = 0;
    await using server = await serveRules(rules, {
      concurrentMax: 3,
      retryAfterMs: 1,
      // However busy the machine is, some are refused.
      behave: ({ role }) =>
        role === "child" && refusals++ < 2
          ? { refuse: { code: "rate-limit", retryAfterMs: 1, retryAfterAs: "seconds" } }
          : {},
    });
    const surroundings = { ...surroundingsOf(nodeHost()), cwd: directory, env: { ...box.env, [variable]: KEY } };
    const flags = { model: `${kind}/test-model`, baseUrls: [`${kind}=${server.url}${path}`] };
    const never = new AbortController().signal;
    const ended = await runTask(
      surroundings,
      { task: "Ask the children", flags, limits: {} },
      {
        onStart: () => {},
        onEvent: () => {},
        onFamily: () => {},
        onNote: () => {},
        onApproval: () => {},
        person: null,
        stop: never,
        stopNow: never,
      },
    );
    const { result, bill, transcript } = unwrap(ended, "run");
    expect(result.kind === "stopped" ? result.text : result).toBe("All in order.");
    // 1,000 tokens in an answer; a refusal costs nothing.
    expect([bill.totals.requests, bill.children, bill.totals.usage.inputTokens]).toEqual([22, 10, 22_000]);
    const answered = server.requests
      .filter(({ outcome }) => outcome === "whole")
      .map(({ role, taskKeys, turn }) => `${role} ${taskKeys.join()} ${turn}`);
    expect([answered.length, new Set(answered).size, server.requests.length > 23]).toEqual([22, 22, true]);
    const records = readFileSync(join(dirname(dirname(transcript)), "delegations.jsonl"), "utf8")
      .trimEnd()
      .split("\n");
    const outcomes = records.map((line) => JSON.parse(line)).map(({ child_id, outcome }) => `${child_id} ${outcome}`);
    expect(outcomes.toSorted()).toEqual(numbers.map((n) => `a${n} done`).toSorted());
  },
);
