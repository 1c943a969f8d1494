// What is said between an agent and a model, free of any provider's wire form.

import type { CallId } from "../base/ids.ts";

export interface ToolCall {
  readonly id: CallId;
  readonly name: string;
  /** Parsed JSON arguments; `malformed` keeps the text that did not parse, or was cut off by the output limit. */
  readonly arguments:
    | { readonly kind: "parsed"; readonly value: unknown }
    | { readonly kind: "malformed"; readonly text: string };
}

export interface ToolResult {
  readonly callId: CallId;
  readonly name: string;
  readonly text: string;
  readonly isError: boolean;
}

export type Message =
  | { readonly role: "user"; readonly text: string }
  | { readonly role: "assistant"; readonly text: string; readonly calls: readonly ToolCall[] }
  /** One result for each call of the assistant message before it, in the same order. */
  | { readonly role: "tool"; readonly results: readonly ToolResult[] };

export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  /** JSON Schema (draft 2020-12) of the arguments: always an object. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
}
