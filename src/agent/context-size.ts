// How many tokens the next request's context will have: pure. What the provider counted for the last answer is taken as it said it,
// and only what came since is estimated; the estimate is on the large side, since too late a compaction costs the session.

import type { Message, ToolSpec } from "../model/message.ts";
import type { Usage } from "../model/usage.ts";

/** English text and code have about 4 bytes a token; results full of numbers and symbols have fewer. */
const bytesPerToken = 3;

export interface Context {
  readonly system: string;
  readonly tools: readonly ToolSpec[];
  readonly messages: readonly Message[];
  /** The newest answer that was counted, and how many of `messages` were there when it had come; null before the first. */
  readonly counted: { readonly usage: Usage; readonly messages: number } | null;
}

/** Tokens of input that a request with this context has, at about the most. */
export function contextTokens({ system, tools, messages, counted }: Context): number {
  const said = counted === null ? "unavailable" : sum(counted.usage);
  if (counted !== null && said !== "unavailable") return said + messageTokens(messages.slice(counted.messages));
  return tokensOf(system) + tokensOf(JSON.stringify(tools)) + messageTokens(messages);
}

/** Tokens of what every request begins with, at the least: no text of a prompt or a schema has more bytes a token. */
export function fixedTokensMin({ system, tools }: Pick<Context, "system" | "tools">): number {
  return Math.floor(Buffer.byteLength(system + JSON.stringify(tools), "utf8") / bytesPerTokenMax);
}

const bytesPerTokenMax = 6;

/** Tokens of these messages, at about the most. */
export function messageTokens(messages: readonly Message[]): number {
  return messages.reduce((tokens, message) => tokens + tokensOf(JSON.stringify(message)), 0);
}

function sum({ inputTokens, outputTokens }: Usage): number | "unavailable" {
  return inputTokens === "unavailable" || outputTokens === "unavailable" ? "unavailable" : inputTokens + outputTokens;
}

function tokensOf(text: string): number {
  return Math.ceil(Buffer.byteLength(text, "utf8") / bytesPerToken);
}
