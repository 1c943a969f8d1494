// Whether a provider refused a request because it was longer than the model's window. They all say it with "bad request" and words.

import type { ModelError } from "../model/provider.ts";

/** Of the size that was refused, how much is tried next: what a window holds is then not known. */
export const overflowShare = 0.6;

/**
 * Anthropic: "prompt is too long: 214000 tokens > 200000 maximum". OpenAI: "maximum context length is 128000 tokens",
 * `context_length_exceeded`, "exceeds the context window". Google: "input token count (1100000) exceeds the maximum number of
 * tokens allowed". llama-server: "the request exceeds the available context size". vLLM: "maximum model length".
 */
const TOO_LONG =
  /too long|context[_ ](length|window|size)|(maximum|max)[^.]{0,40} (context|model) length|token count[^.]{0,40} exceeds/i;

export function saysTooLong({ code, message }: ModelError): boolean {
  return code === "bad-request" && TOO_LONG.test(message);
}
