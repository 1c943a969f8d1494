// What a scripted model takes out of what it was given, and the text it makes of that: so that an answer shows which results really came
// back. Invariant: a text is made of what was received or it is an error; nothing is put in for what is missing.

import { err, ok, type Result } from "../../base/result.ts";
import type { Message, ToolResult } from "../../model/message.ts";
import { inTurns } from "../../model/turns.ts";

export interface Capture {
  /** All results of the conversation so far, what came last, or what the agent was told first. */
  readonly from: "results" | "last" | "told";
  /** Only results of this tool. */
  readonly tool?: string | undefined;
  /** With the flags g and m: each match counts, with its first group if it has one. */
  readonly match: RegExp;
}

export type Captured = ReadonlyMap<string, readonly string[]>;

export function captured(captures: Readonly<Record<string, Capture>>, messages: readonly Message[]): Captured {
  return new Map(Object.entries(captures).map(([name, capture]) => [name, matchesOf(capture, messages)]));
}

/** The first message of the conversation. */
export function toldText(messages: readonly Message[]): string {
  const [first] = messages;
  return first === undefined || first.role === "tool" ? "" : first.text;
}

/** What the model has just been told: the person's text, or the results of its calls. */
export function lastText(messages: readonly Message[]): string {
  const last = inTurns(
    messages.slice(
      Math.max(
        0,
        messages.findLastIndex(({ role }) => role !== "user"),
      ),
    ),
  ).at(-1);
  if (last === undefined) return "";
  return last.role === "tool" ? last.results.map((result) => result.text).join("\n") : last.text;
}

function matchesOf({ from, tool, match }: Capture, messages: readonly Message[]): readonly string[] {
  return textsOf(from, tool, messages).flatMap((text) =>
    [...text.matchAll(match)].map((found) => found.slice(1).find((group) => group !== undefined) ?? found[0]),
  );
}

function textsOf(from: Capture["from"], tool: string | undefined, messages: readonly Message[]): readonly string[] {
  switch (from) {
    case "told":
      return [toldText(messages)];
    case "last": {
      const last = messages.at(-1);
      return last?.role === "tool" ? resultTexts(last.results, tool) : [lastText(messages)];
    }
    case "results":
      return messages.flatMap((message) => (message.role === "tool" ? resultTexts(message.results, tool) : []));
  }
}

function resultTexts(results: readonly ToolResult[], tool: string | undefined): readonly string[] {
  return results.filter(({ name }) => tool === undefined || name === tool).map(({ text }) => text);
}

const placeholder = /\{\{\s*(?:(\w+)\s+)?(\w+)\s*\}\}/g;
export const FUNCTIONS = ["sum", "count", "first", "last", "list"] as const;

/** Names that the text uses and the rule does not capture, and functions that there are not: one sentence each. */
export function templateProblems(text: string, names: readonly string[]): readonly string[] {
  return [...text.matchAll(placeholder)].flatMap(([whole, call, name = ""]) => {
    if (call !== undefined && !FUNCTIONS.some((known) => known === call))
      return [`${whole}: ${call} is not one of ${FUNCTIONS.join(", ")}`];
    return names.includes(name) ? [] : [`${whole}: the rule captures nothing by this name`];
  });
}

/** The error is a sentence for people. */
export function filledIn(text: string, values: Captured): Result<string, string> {
  let problem: string | null = null;
  const filled = text.replace(placeholder, (whole, call: string | undefined, name: string) => {
    const made = applied(call, name, values.get(name) ?? []);
    if (made.ok) return made.value;
    problem ??= `${whole}: ${made.error}`;
    return whole;
  });
  return problem === null ? ok(filled) : err(problem);
}

/** Every text in the value, filled in. */
export function filledInside(value: unknown, values: Captured): Result<unknown, string> {
  if (typeof value === "string") return filledIn(value, values);
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => filledInside(item, values));
    return items.find((item) => !item.ok) ?? ok(items.map((item) => (item.ok ? item.value : null)));
  }
  if (typeof value !== "object" || value === null) return ok(value);
  const fields = Object.entries(value).map(([key, item]) => [key, filledInside(item, values)] as const);
  const failed = fields.find(([, item]) => !item.ok);
  if (failed !== undefined) return failed[1];
  return ok(Object.fromEntries(fields.map(([key, item]) => [key, item.ok ? item.value : null])));
}

function applied(call: string | undefined, name: string, found: readonly string[]): Result<string, string> {
  if (call === "count") return ok(String(found.length));
  const [first] = found;
  const last = found.at(-1);
  if (first === undefined || last === undefined) return err(`${name} matches nothing of what was received`);
  switch (call) {
    case "sum":
      return sumOf(found);
    case "first":
      return ok(first);
    case "last":
      return ok(last);
    case "list":
      return ok(found.join(", "));
    default: {
      const different = [...new Set(found)];
      if (different.length === 1) return ok(first);
      return err(`${name} matches ${different.length} different texts: ${different.slice(0, 5).join(", ")}`);
    }
  }
}

function sumOf(found: readonly string[]): Result<string, string> {
  let sum = 0;
  for (const text of found) {
    if (!/^-?\d{1,15}$/.test(text)) return err(`${text.slice(0, 40)} is not a whole number`);
    sum += Number(text);
  }
  return Number.isSafeInteger(sum) ? ok(String(sum)) : err("the sum is too large");
}
