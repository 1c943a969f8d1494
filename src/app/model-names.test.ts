// Names in every form, and what a wrong one is answered.

import { expect, test } from "vitest";
import { MODEL_FORMS, type ModelName, modelNameText, parseModelName } from "./model-names.ts";

test.each<[string, ModelName]>([
  ["anthropic/claude-haiku-4-5", { kind: "provider", provider: "anthropic", model: "claude-haiku-4-5" }],
  ["openai/gpt-5.6-sol", { kind: "provider", provider: "openai", model: "gpt-5.6-sol" }],
  ["openai-chat/gpt-4o-mini", { kind: "provider", provider: "openai-chat", model: "gpt-4o-mini" }],
  ["google/gemini-2.5-pro", { kind: "provider", provider: "google", model: "gemini-2.5-pro" }],
  ["openai-compatible/org/model:free", { kind: "provider", provider: "openai-compatible", model: "org/model:free" }],
  ["ollama/qwen3:8b", { kind: "provider", provider: "ollama", model: "qwen3:8b" }],
  ["script:answers/a b.yaml", { kind: "script", file: "answers/a b.yaml" }],
  ["replay:/tmp/kept", { kind: "replay", directory: "/tmp/kept" }],
])("%s", (name, parsed) => {
  expect(parseModelName(name)).toEqual({ ok: true, value: parsed });
  expect(modelNameText(parsed)).toBe(name);
});

test.each<[string, string]>([
  ["claude-haiku-4-5", "claude-haiku-4-5 names no provider; did you mean anthropic/claude-haiku-4-5?"],
  ["o3", "o3 names no provider; did you mean openai/o3?"],
  ["gemini-2.5-pro", "gemini-2.5-pro names no provider; did you mean google/gemini-2.5-pro?"],
  ["llama3", "llama3 names no provider"],
  ["antropic/claude-haiku-4-5", "antropic is not a provider; did you mean anthropic/claude-haiku-4-5?"],
  ["Anthropic/claude", "Anthropic is not a provider; did you mean anthropic/claude?"],
  ["openai:gpt-4o", "openai:gpt-4o names no provider; did you mean openai/gpt-4o?"],
  ["open-ai-compatible/m", "open-ai-compatible is not a provider; did you mean openai-compatible/m?"],
  ["zzz/m", "zzz is not a provider"],
  ["/m", '"" is not a provider'],
  ["", '"" names no provider'],
  ["script/answers.yaml", "script is not a provider; did you mean script:answers.yaml?"],
  ["script:", "script: names no file"],
  ["replay: ", "replay: names no directory"],
  ["ollama/", "ollama/ names no model"],
  ["ollama/a model", "ollama/a model names no model"],
  ["ollama/a\u001b[31m", "a model's name has no control characters"],
  ["ollama/" + "x".repeat(300), "a model's name has at most 300 characters, this one has 307"],
])("%j is refused with its reason and the known forms", (name, message) => {
  expect(parseModelName(name)).toEqual({
    ok: false,
    error: { kind: "model-name", message: `${message} (${MODEL_FORMS})` },
  });
});
