// Sizes are copied by hand from the package's data file (@pydantic/genai-prices 0.1.8).

import { expect, test } from "vitest";
import { contextWindow } from "./context-window.ts";

test("the window of a model is the table's, and unknown where the table or the provider is", () => {
  const at = Date.parse("2026-09-01T00:00:00Z");
  const sizes = [
    ["anthropic", "claude-haiku-4-5"],
    ["openai", "gpt-4.1"],
    ["google", "gemini-2.5-pro"],
    ["anthropic", "claude-of-tomorrow"],
    ["ollama", "qwen3:8b"],
  ].map(([provider = "", model = ""]) => contextWindow({ provider, model, baseUrl: null }, at));
  expect(sizes).toEqual([200_000, 1_000_000, null, null, null]);
});
