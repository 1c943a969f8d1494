// The request for a summary of a history's older part, and the history that its answer makes: pure.
// Whatever the model answers, there is a shorter history; only an abort leaves it as it was.

import type { Message } from "../model/message.ts";
import type { Answer } from "./ask.ts";
import { digestOf, openingOf, type Split, SUMMARY_REQUEST } from "./compaction.ts";

/** The same begin as the requests before it, so that the provider's cache has most of it. */
export function summaryMessages({ older }: Split): readonly Message[] {
  return [...older, { role: "user", text: SUMMARY_REQUEST }];
}

export interface CompactedHistory {
  readonly messages: readonly Message[];
  /** The first of them. */
  readonly opening: string;
  readonly how: "summary" | "digest";
}

/** Null where the request was aborted. Calls in the answer are not run: they were asked not to be made. */
export function compactedHistory(split: Split, answer: Answer, roomTokens: number): CompactedHistory | null {
  if (answer.kind === "aborted") return null;
  const { older, recent } = split;
  const said = answer.kind === "whole" ? answer.text.trim() : "";
  const summary = said === "" ? digestOf(older, roomTokens) : said;
  const opening = openingOf({ older, summary, roomTokens });
  return { messages: [{ role: "user", text: opening }, ...recent], opening, how: said === "" ? "digest" : "summary" };
}
