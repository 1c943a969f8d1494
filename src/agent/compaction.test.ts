// Histories that are made shorter: the recent part word for word, no call torn from its result, the person's words kept. Sizes by hand.

import fc from "fast-check";
import { expect, test } from "vitest";
import type { Message } from "../model/message.ts";
import { call, USAGE } from "../testing/agent/rig.ts";
import { compactedHistory } from "./compacted-history.ts";
import { digestOf, inputTokensMax, openingOf, splitHistory } from "./compaction.ts";
import { contextTokens, messageTokens } from "./context-size.ts";
import { saysTooLong } from "./overflow.ts";

const said = (text: string): Message => ({ role: "user", text });
const answer = (...ids: readonly string[]): Message => ({
  role: "assistant",
  text: "",
  calls: ids.map((id) => call(id, "look")),
});
const results = (ids: readonly string[], text: string): Message => ({
  role: "tool",
  results: ids.map((id) => ({ callId: call(id, "look").id, name: "look", text, isError: false })),
});

test("a context's size is what the provider counted, and a token for three bytes of what came since", () => {
  const messages = [said("go"), answer("c1")];
  const system = "x".repeat(30);
  // {"role":"user","text":"ab"} has 27 bytes; USAGE counts 100 tokens in and 10 out.
  const since = [...messages, said("ab")];
  expect([
    contextTokens({ system, tools: [], messages: since, counted: { usage: USAGE, messages: 2 } }),
    messageTokens([said("ab")]),
    // 30 bytes of system, `[]`, 27 bytes: 10 + 1 + 9.
    contextTokens({ system, tools: [], messages: [said("ab")], counted: null }),
    contextTokens({
      system,
      tools: [],
      messages: [said("ab")],
      counted: { usage: { ...USAGE, inputTokens: "unavailable" }, messages: 1 },
    }),
  ]).toEqual([119, 9, 20, 20]);
});

test("room for input is the window without the answer and a margin, and never less than half", () => {
  expect([
    inputTokensMax({ contextTokens: 200_000, outputTokensMax: 16_000 }),
    inputTokensMax({ contextTokens: 10_000, outputTokensMax: 16_000 }),
  ]).toEqual([174_000, 4_750]);
});

test("H9 any history is split between messages, never between a call and its result", () => {
  const turn = fc.record({ calls: fc.nat({ max: 3 }), chars: fc.nat({ max: 400 }), told: fc.boolean() });
  fc.assert(
    fc.property(fc.array(turn, { maxLength: 12 }), fc.integer({ min: 50, max: 3_000 }), (turns, room) => {
      const messages: Message[] = [said("the task")];
      for (const [n, { calls, chars, told }] of turns.entries()) {
        const ids = Array.from({ length: calls }, (_, index) => `c${n}-${index}`);
        messages.push(answer(...ids));
        if (calls > 0) messages.push(results(ids, "y".repeat(chars)));
        if (told || calls === 0) messages.push(said("more"));
      }
      const split = splitHistory(messages, room);
      if (split === null) return;
      const { older, recent } = split;
      expect([...older, ...recent]).toEqual(messages);
      expect(recent[0]?.role).not.toBe("tool");
      expect(older.some(({ role }) => role === "assistant")).toBe(true);
      const lastBegins = messages.findLastIndex(({ role }) => role !== "tool");
      const isLast = recent.length === messages.length - lastBegins;
      expect(messageTokens(recent) <= room * 0.3 || isLast).toBe(true);
    }),
    { numRuns: 200 },
  );
});

test("what the person said stays word for word over several compactions, and summaries do not pile up", () => {
  const older = [
    said("Port the parser.\nKeep the API."),
    answer("c1"),
    results(["c1"], "seen"),
    said("And the tests."),
  ];
  const first = openingOf({ older, summary: "I ported half.", roomTokens: 1_000 });
  expect(first).toBe(
    "Port the parser.\nKeep the API.\n\nAnd the tests.\n\n[Earlier messages were left out, since the model's context was nearly full. This is their summary.]\n\nI ported half.",
  );
  const second = openingOf({ older: [said(first), answer("c2")], summary: " All ported. ", roomTokens: 1_000 });
  expect(second).toBe(first.replace("I ported half.", "All ported."));
});

test("of many messages of the person's the task and the newest stay, and it is said how many do not", () => {
  const older = [said("task"), ...[1, 2, 3].map((n) => said(`${n}`.repeat(100))), answer("c1")];
  // 20 % of 600 tokens are 360 characters: task and two messages have 204.
  expect(openingOf({ older, summary: "s", roomTokens: 400 }).split("\n\n").slice(0, 4)).toEqual([
    "task",
    "[1 later messages to you are left out here; the summary tells of them]",
    "2".repeat(100),
    "3".repeat(100),
  ]);
});

test("without a summary of the model's there is a digest, of the newest first", () => {
  const older = [
    said("go"),
    { role: "assistant", text: "I look.", calls: [call("c1", "look", { path: "a.ts" }), call("c2", "gone")] } as const,
    {
      role: "tool",
      results: [
        { callId: call("c1", "look").id, name: "look", text: "line 1\nline 2", isError: false },
        { callId: call("c2", "gone").id, name: "gone", text: "no such tool", isError: true },
      ],
    } as const,
  ];
  const lines = [
    "- said: I look.",
    '- called look {"path":"a.ts"} → ok: line 1 line 2',
    "- called gone {} → failed: no such tool",
  ];
  const begin = "No summary could be written by the model; this is what was said and called, in short:";
  expect(digestOf(older, 1_000)).toBe([begin, ...lines].join("\n"));
  // 20 % of 100 tokens are 60 characters: room for the last line.
  expect(digestOf(older, 100)).toBe([begin, "(2 older lines are left out)", lines[2]].join("\n"));
  const split = { older, recent: [answer("c3")] };
  const error = { kind: "model", code: "other", message: "it broke", retryAfterMs: null } as const;
  expect([
    compactedHistory(split, { kind: "failed", error }, 1_000)?.how,
    compactedHistory(split, { kind: "whole", text: "", calls: [call("c9", "look")], stop: "calls" }, 1_000)?.how,
    compactedHistory(split, { kind: "whole", text: "short", calls: [], stop: "length" }, 1_000)?.how,
    compactedHistory(split, { kind: "aborted" }, 1_000),
  ]).toEqual(["digest", "digest", "summary", null]);
});

test("what providers say of a request that is too long is known, and other refusals are not taken for it", () => {
  const refusal = (message: string, code: "bad-request" | "rate-limit" = "bad-request") =>
    saysTooLong({ kind: "model", code, message, retryAfterMs: null });
  expect([
    refusal("status 400: prompt is too long: 214315 tokens > 200000 maximum"),
    refusal("This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens."),
    refusal("Your input exceeds the context window of this model. Please adjust your input and try again."),
    refusal("The input token count (1100000) exceeds the maximum number of tokens allowed (1048576)."),
    refusal("the request exceeds the available context size. try increasing the context size"),
    refusal("prompt is too long", "rate-limit"),
    refusal("model not found"),
    refusal("max_tokens: 64000 > 32000, which is the maximum allowed number of output tokens"),
  ]).toEqual([true, true, true, true, true, false, false, false]);
});
