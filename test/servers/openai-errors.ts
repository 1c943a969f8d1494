// Errors in the form of OpenAI's API, which both of its protocols and the compatible servers share.
// Source: platform.openai.com/docs/guides/error-codes.

import { frame, type Json, type Protocol, type RefusalCode } from "./protocol.ts";

const ERRORS: Readonly<Record<RefusalCode, readonly [status: number, type: string, code: string | null]>> = {
  unauthorized: [401, "invalid_request_error", "invalid_api_key"],
  quota: [429, "insufficient_quota", "insufficient_quota"],
  "rate-limit": [429, "requests", "rate_limit_exceeded"],
  overloaded: [503, "service_unavailable_error", "server_is_overloaded"],
  "bad-request": [400, "invalid_request_error", null],
  "not-found": [404, "invalid_request_error", "model_not_found"],
  other: [500, "server_error", null],
};

export const openAiErrors: Pick<Protocol, "refusal" | "errorFrame"> = {
  refusal: (code, message) => ({ status: ERRORS[code][0], body: openAiError(code, message) }),
  errorFrame: (code, message) => frame(openAiError(code, message)),
};

export function openAiError(code: RefusalCode, message: string): Json {
  const [, type, word] = ERRORS[code];
  return { error: { message, type, param: null, code: word } };
}

export function openAiErrorWord(code: RefusalCode): string {
  const [, type, word] = ERRORS[code];
  return word ?? type;
}
