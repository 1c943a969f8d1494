// What a request shows of notes: what the session was told of them, and what the tools of our MCP server have answered.

import type { ModelRequest } from "./fake-model.ts";

export function toldOfNotes(body: string): string {
  return textsIn(JSON.parse(body)).find((text) => text.includes("Notes that agent sessions leave")) ?? "";
}

/** Of tools, in every protocol's form. */
export function resultsIn({ body }: ModelRequest): string {
  return textsIn(resultItems(JSON.parse(body))).join("\n");
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

function resultItems(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return [];
  if ("type" in value && /^(tool_result|function_call_output)$/.test(String(value.type))) return value;
  if ("role" in value && value.role === "tool") return value;
  if ("functionResponse" in value) return value.functionResponse;
  return Object.values(value).flatMap(resultItems);
}
