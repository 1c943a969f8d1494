// Answers that are none: a stream that ends without an end, and one that ends without having said anything.

import type { ModelError } from "./provider.ts";

export function badAnswer(message: string): ModelError {
  return { kind: "model", code: "bad-answer", message, retryAfterMs: null };
}

export const BROKE_OFF: ModelError = badAnswer(
  "the answer broke off: the stream ended without saying that it was done",
);

export const EMPTY_ANSWER: ModelError = noContent("the answer was empty: no text and no tool call");

export function noContent(message: string): ModelError {
  return { kind: "model", code: "no-content", message, retryAfterMs: null };
}
