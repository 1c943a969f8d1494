// Token figures: what each provider's mean, by its documentation and by hand, and that a missing one is never 0.

import type { JSONObject } from "@ai-sdk/provider";
import { expect, test } from "vitest";
import { ask, KINDS, model, serve } from "../../../test/servers/asking.ts";
import type { Behaviour } from "../../../test/servers/behaviour.ts";
import { costUsd, USAGE_UNKNOWN } from "../../model/usage.ts";
import type { AiSdkKind } from "./kinds.ts";
import { usageOf } from "./usage.ts";

async function figures(usage: NonNullable<Behaviour["usage"]>, kinds: readonly AiSdkKind[] = KINDS) {
  await using server = await serve("rules: [{say: hello}]", { behave: { usage } });
  return await Promise.all(kinds.map(async (kind) => (await ask(model(kind, server.url))).usage));
}

test("input holds the cached tokens on every protocol, and Anthropic's written ones too", async () => {
  const usage = { inputTokens: 1_000, cachedTokens: 600, outputTokens: 50 };
  expect(await figures(usage)).toEqual(
    KINDS.map((kind) => (kind === "anthropic" ? { ...usage, cacheWriteTokens: 0 } : usage)),
  );
  // On the wire: input_tokens 100, cache_creation_input_tokens 300, cache_read_input_tokens 600.
  expect(await figures({ ...usage, cacheWriteTokens: 300 }, ["anthropic", "openai"])).toEqual([
    { ...usage, cacheWriteTokens: 300 },
    { ...usage, cacheWriteTokens: 300 },
  ]);
});

test("H23 no usage in the answer is unavailable", async () => {
  // Anthropic's protocol has no answer without it.
  const kinds = KINDS.filter((kind) => kind !== "anthropic");
  expect(await figures("none", kinds)).toEqual(kinds.map(() => USAGE_UNKNOWN));
});

test("H23 no figure for the cache is unavailable where 0 would have been said", async () => {
  const [anthropic, openai, chat, google, compatible] = await figures({ inputTokens: 1_000, outputTokens: 50 });
  const uncached = { inputTokens: 1_000, cachedTokens: "unavailable", outputTokens: 50 };
  expect([openai, chat, compatible]).toEqual([uncached, uncached, uncached]);
  // The whole input of Anthropic is a sum with the cache's parts.
  expect(anthropic).toEqual({
    inputTokens: "unavailable",
    cachedTokens: "unavailable",
    cacheWriteTokens: "unavailable",
    outputTokens: 50,
  });
  // Gemini leaves out what is 0.
  expect(google).toEqual({ inputTokens: 1_000, cachedTokens: 0, outputTokens: 50 });
});

test("the bill of a cached request is what a hand calculation says", async () => {
  const [usage] = await figures(
    { inputTokens: 10_000, cachedTokens: 6_000, cacheWriteTokens: 3_000, outputTokens: 500 },
    ["anthropic"],
  );
  // $3 input, $0.30 read, $3.75 written, $15 output a million: 1,000 × 3 + 6,000 × 0.3 + 3,000 × 3.75 + 500 × 15 = 23,550 µ$.
  const price = { inputUsdPerMtok: 3, cachedUsdPerMtok: 0.3, cacheWriteUsdPerMtok: 3.75, outputUsdPerMtok: 15 };
  expect(usage && costUsd(usage, price)).toBe(0.02355);
});

const raw = (kind: AiSdkKind, figuresGiven: JSONObject | undefined) =>
  usageOf(kind, {
    inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: undefined, text: undefined, reasoning: undefined },
    ...(figuresGiven !== undefined && { raw: figuresGiven }),
  });

test("figures that make no sense are unavailable", () => {
  expect([
    raw("openai-chat", undefined),
    raw("openai-chat", { prompt_tokens: 10, completion_tokens: -1, prompt_tokens_details: { cached_tokens: 20 } }),
    raw("openai-compatible", { prompt_tokens: 10.5, completion_tokens: 3, prompt_tokens_details: null }),
  ]).toEqual([
    USAGE_UNKNOWN,
    { inputTokens: 10, cachedTokens: "unavailable", outputTokens: "unavailable" },
    { inputTokens: "unavailable", cachedTokens: "unavailable", outputTokens: 3 },
  ]);
});

test("Gemini's output is what was written and what was thought; DeepSeek's cache has its own field", () => {
  expect([
    raw("google", { promptTokenCount: 8, candidatesTokenCount: 5, thoughtsTokenCount: 30, totalTokenCount: 43 }),
    raw("google", { promptTokenCount: 8 }),
    raw("openai-compatible", { prompt_tokens: 9, prompt_cache_hit_tokens: 4, completion_tokens: 1 }),
  ]).toEqual([
    { inputTokens: 8, cachedTokens: 0, outputTokens: 35 },
    { inputTokens: 8, cachedTokens: "unavailable", outputTokens: "unavailable" },
    { inputTokens: 9, cachedTokens: 4, outputTokens: 1 },
  ]);
});
