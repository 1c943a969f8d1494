// Token figures from what a provider sent. They are read from the raw figures: the SDK writes 0 where one is missing.

import type { LanguageModelV4Usage } from "@ai-sdk/provider";
import { unreachable } from "../../base/assert.ts";
import { type Figure, USAGE_UNKNOWN, type Usage } from "../../model/usage.ts";
import type { AiSdkKind } from "./kinds.ts";

/**
 * How the figures map; what is missing or no count is `unavailable`, and so is a sum with such a part.
 *
 * - Anthropic: input = input_tokens + cache_creation_input_tokens + cache_read_input_tokens; cached =
 *   cache_read_input_tokens; written = cache_creation_input_tokens; output = output_tokens, thinking included. A cache
 *   figure that is `null` says that the cache was not used.
 * - OpenAI Responses: input = input_tokens, cached included; cached = input_tokens_details.cached_tokens; written =
 *   input_tokens_details.cache_write_tokens; output = output_tokens, reasoning included.
 * - Chat Completions: the same of prompt_tokens, prompt_tokens_details and completion_tokens.
 * - Gemini: input = promptTokenCount (cached included) + toolUsePromptTokenCount; cached = cachedContentTokenCount; output =
 *   candidatesTokenCount + thoughtsTokenCount. Its JSON leaves out what is 0 (proto3), so a part that is missing beside a
 *   totalTokenCount is 0.
 *
 * Written tokens are left out where the provider does not count them apart.
 * Sources: platform.claude.com/docs/en/api/messages, platform.openai.com/docs/api-reference, ai.google.dev/api/generate-content#UsageMetadata.
 */
export function usageOf(kind: AiSdkKind, given: LanguageModelV4Usage): Usage {
  if (given.raw === undefined) return USAGE_UNKNOWN;
  const usage = mapped(kind, given, given.raw);
  const { inputTokens: input, cachedTokens: cached } = usage;
  // More cached than there was input cannot be: then the part is not known.
  const wrong = input !== "unavailable" && cached !== "unavailable" && cached > input;
  return wrong ? { ...usage, cachedTokens: "unavailable" } : usage;
}

function mapped(kind: AiSdkKind, given: LanguageModelV4Usage, raw: Raw): Usage {
  switch (kind) {
    case "anthropic": {
      // The figures come twice, at the start and at the end, where a null leaves the first: the SDK has put them together.
      const said = (name: string, value: unknown): Figure => (name in raw ? count(value) : "unavailable");
      const { noCache, cacheRead, cacheWrite } = given.inputTokens;
      const cached = said("cache_read_input_tokens", cacheRead);
      const written = said("cache_creation_input_tokens", cacheWrite);
      return {
        inputTokens: sum(said("input_tokens", noCache), written, cached),
        cachedTokens: cached,
        cacheWriteTokens: written,
        outputTokens: said("output_tokens", given.outputTokens.total),
      };
    }
    case "openai":
      return {
        inputTokens: count(raw.input_tokens),
        cachedTokens: count(inner(raw.input_tokens_details).cached_tokens),
        ...written(raw.input_tokens_details),
        outputTokens: count(raw.output_tokens),
      };
    case "openai-chat":
    case "openai-compatible":
      return {
        inputTokens: count(raw.prompt_tokens),
        // DeepSeek's servers say it in a field of their own.
        cachedTokens: count(inner(raw.prompt_tokens_details).cached_tokens ?? raw.prompt_cache_hit_tokens),
        ...written(raw.prompt_tokens_details),
        outputTokens: count(raw.completion_tokens),
      };
    case "google": {
      const part = raw.totalTokenCount === undefined ? count : countOrZero;
      return {
        inputTokens: sum(count(raw.promptTokenCount), countOrZero(raw.toolUsePromptTokenCount)),
        cachedTokens: part(raw.cachedContentTokenCount),
        outputTokens: sum(part(raw.candidatesTokenCount), countOrZero(raw.thoughtsTokenCount)),
      };
    }
    default:
      return unreachable(kind);
  }
}

type Raw = Readonly<Record<string, unknown>>;

function count(value: unknown): Figure {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : "unavailable";
}

function countOrZero(value: unknown): Figure {
  return value === undefined || value === null ? 0 : count(value);
}

function written(details: unknown): Pick<Usage, "cacheWriteTokens"> {
  const tokens = count(inner(details).cache_write_tokens);
  return tokens === "unavailable" ? {} : { cacheWriteTokens: tokens };
}

function sum(...figures: readonly Figure[]): Figure {
  return figures.reduce((left, right) =>
    left === "unavailable" || right === "unavailable" ? "unavailable" : left + right,
  );
}

function inner(value: unknown): Raw {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
