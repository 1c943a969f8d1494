// Reading the body of a request of unknown form: a mistake is an exception with the place, which becomes a 400.

import { asCallId } from "../../src/base/ids.ts";
import type { ToolCall, ToolResult } from "../../src/model/message.ts";
import type { Json } from "./protocol.ts";

export class WrongBody extends Error {}

export function object(value: unknown, at: string): Json {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new WrongBody(`${at}: expected an object`);
  return { ...value };
}

export function list(value: unknown, at: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new WrongBody(`${at}: expected a list`);
  return value;
}

/** Empty if it is missing. */
export function optionalList(value: unknown, at: string): readonly unknown[] {
  return value === undefined ? [] : list(value, at);
}

export function string(value: unknown, at: string): string {
  if (typeof value !== "string") throw new WrongBody(`${at}: expected a string`);
  return value;
}

export function optionalNumber(value: unknown): number | null {
  return typeof value === "number" ? value : null;
}

/** A string, or a list of parts with a `text`. */
export function textOf(value: unknown, at: string): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "string") return value;
  return list(value, at)
    .map((part, index) => string(object(part, `${at}[${index}]`).text, `${at}[${index}].text`))
    .join("");
}

export function callOf(id: unknown, name: unknown, args: unknown, at: string): ToolCall {
  const value = typeof args === "string" ? jsonOf(args, `${at}.arguments`) : args;
  object(value, `${at}.arguments`);
  return {
    id: asCallId(string(id, `${at}.id`)),
    name: string(name, `${at}.name`),
    arguments: { kind: "parsed", value },
  };
}

export function resultOf(id: unknown, name: string, text: string, isError: boolean, at: string): ToolResult {
  return { callId: asCallId(string(id, `${at}.id`)), name, text, isError };
}

function jsonOf(text: string, at: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new WrongBody(`${at}: expected JSON`);
  }
}
