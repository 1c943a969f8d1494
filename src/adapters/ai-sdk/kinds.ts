// The kinds of providers, and the language model of each. Naming one model loads one package.

import type { LanguageModelV4 } from "@ai-sdk/provider";
import { unreachable } from "../../base/assert.ts";
import { type Fetch, httpFetch, senderFor } from "./http-fetch.ts";

/** `openai` is the Responses API, `openai-chat` OpenAI's Chat Completions, `openai-compatible` anybody's. */
export type AiSdkKind = "anthropic" | "openai" | "openai-chat" | "google" | "openai-compatible";

export interface ModelPlace {
  readonly kind: AiSdkKind;
  readonly model: string;
  readonly apiKey: string | null;
  readonly baseUrl: string;
  readonly fetch?: Fetch;
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

/** Loads a kind's package, and what a connection to such an address needs. */
export async function loadKind(kind: AiSdkKind, baseUrl: string): Promise<void> {
  senderFor(baseUrl.startsWith("http:") ? "http:" : "https:");
  await loadModel({ kind, model: "", apiKey: null, baseUrl: "http://127.0.0.1" });
}

/** `fetch` drops only some headers on the way to another host; `x-api-key` and the prompt would be sent on. */
function withoutRedirects(given: Fetch = httpFetch): Fetch {
  return (input, init) => given(input, { ...init, redirect: "manual" });
}
