// Token counts for a script that says none: four characters are one token, of what was really asked and answered. An estimate, and labelled
// as scripted like all that a script says.

import type { Message } from "../../model/message.ts";
import type { ModelRequest } from "../../model/provider.ts";
import type { Usage } from "../../model/usage.ts";

const charsPerToken = 4;

export interface Answered {
  readonly text: string;
  readonly inputs: readonly unknown[];
}

/** Cached is what the agent's request before this one had sent, and its answer: all up to the last answer. */
export function estimatedUsage({ system, tools, messages }: ModelRequest, { text, inputs }: Answered): Usage {
  const head = tokensOf(system.length + JSON.stringify(tools).length);
  const lastAnswer = messages.findLastIndex(({ role }) => role === "assistant");
  const sizes = messages.map((message) => tokensOf(charsOf(message)));
  const sum = (part: readonly number[]): number => part.reduce((all, size) => all + size, 0);
  return {
    inputTokens: head + sum(sizes),
    cachedTokens: lastAnswer === -1 ? 0 : head + sum(sizes.slice(0, lastAnswer)),
    outputTokens: Math.max(1, tokensOf(text.length + inputs.reduce<number>((all, one) => all + jsonChars(one), 0))),
  };
}

function charsOf(message: Message): number {
  switch (message.role) {
    case "user":
      return message.text.length;
    case "tool":
      return message.results.reduce((sum, { text }) => sum + text.length, 0);
    case "assistant":
      return message.calls.reduce((sum, { arguments: given }) => sum + jsonChars(given), message.text.length);
  }
}

function jsonChars(value: unknown): number {
  return JSON.stringify(value)?.length ?? 0;
}

function tokensOf(chars: number): number {
  return Math.ceil(chars / charsPerToken);
}
