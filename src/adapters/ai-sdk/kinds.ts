// The kinds of providers, and the language model of each. Naming one model loads one package.

import type { LanguageModelV4 } from "@ai-sdk/provider";
import { unreachable } from "../../base/assert.ts";

/** `openai` is the Responses API, `openai-chat` OpenAI's Chat Completions, `openai-compatible` anybody's. */
export type AiSdkKind = "anthropic" | "openai" | "openai-chat" | "google" | "openai-compatible";

export interface ModelPlace {
  readonly kind: AiSdkKind;
  readonly model: string;
  readonly apiKey: string | null;
  readonly baseUrl: string;
  readonly fetch?: typeof globalThis.fetch;
}

/** Key and address are always handed over: the packages would otherwise take them from the environment. */
export async function loadModel(place: ModelPlace): Promise<LanguageModelV4> {
  const { kind, model, baseUrl: baseURL } = place;
  const settings = { baseURL, apiKey: place.apiKey ?? "", fetch: withoutRedirects(place.fetch) };
  switch (kind) {
    case "anthropic": {
      const { createAnthropic } = await import("@ai-sdk/anthropic");
      return createAnthropic(settings)(model);
    }
    case "openai": {
      const { createOpenAI } = await import("@ai-sdk/openai");
      return createOpenAI(settings).responses(model);
    }
    case "openai-chat": {
      const { createOpenAI } = await import("@ai-sdk/openai");
      return createOpenAI(settings).chat(model);
    }
    case "google": {
      const { createGoogle } = await import("@ai-sdk/google");
      return createGoogle(settings)(model);
    }
    case "openai-compatible": {
      const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
      return createOpenAICompatible({ ...settings, name: kind, includeUsage: true })(model);
    }
    default:
      return unreachable(kind);
  }
}

/** Loads a kind's package, and `fetch`, which Node loads when it is first touched. */
export async function loadKind(kind: AiSdkKind): Promise<void> {
  new Headers();
  await loadModel({ kind, model: "", apiKey: null, baseUrl: "http://127.0.0.1" });
}

/** `fetch` drops only some headers on the way to another host; `x-api-key` and the prompt would be sent on. */
function withoutRedirects(given: typeof globalThis.fetch = globalThis.fetch): typeof globalThis.fetch {
  return (input, init) => given(input, { ...init, redirect: "manual" });
}
