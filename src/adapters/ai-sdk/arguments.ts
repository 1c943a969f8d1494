// The arguments of a call from the text that a model wrote. What does not parse stays as text: it is never taken for `{}`.

import type { ToolCall, ToolSpec } from "../../model/message.ts";

export interface WrittenArguments {
  readonly text: string;
  /** The output limit may have cut the text off. */
  readonly cut: boolean;
  /** The provider's wire form for a call without arguments is no text at all. */
  readonly emptyMeansNone: boolean;
  /** Undefined for a tool that was not offered. */
  readonly tool: ToolSpec | undefined;
}

export function parseArguments(written: WrittenArguments): ToolCall["arguments"] {
  const { text, cut, emptyMeansNone, tool } = written;
  if (text.trim() === "") {
    const none = !cut && (emptyMeansNone || (tool !== undefined && takesNothing(tool)));
    return none ? { kind: "parsed", value: {} } : { kind: "malformed", text };
  }
  try {
    const value: unknown = JSON.parse(text);
    return { kind: "parsed", value };
  } catch {
    return { kind: "malformed", text };
  }
}

function takesNothing({ inputSchema: { properties } }: ToolSpec): boolean {
  return properties === undefined || (typeof properties === "object" && Object.keys(properties ?? {}).length === 0);
}
