// One model request: the provider's stream gathered into one answer. Never rejects; whatever a provider does wrong
// (ends early, throws, repeats a call id) comes out as a failed answer or is put right here.

import { unreachable } from "../base/assert.ts";
import { asCallId } from "../base/ids.ts";
import type { ToolCall } from "../model/message.ts";
import type { ModelError, ModelRequest, Provider, StreamEvent } from "../model/provider.ts";
import type { Usage } from "../model/usage.ts";
import { orAborted } from "./abort.ts";

export type Answer =
  | {
      readonly kind: "whole";
      readonly text: string;
      /** With ids that are unique in the answer. */
      readonly calls: readonly ToolCall[];
      readonly stop: "end" | "calls" | "length";
      readonly usage: Usage;
    }
  | { readonly kind: "failed"; readonly error: ModelError }
  | { readonly kind: "aborted" };

/** `onText` gets each piece of text as it streams. */
export async function ask(
  provider: Provider,
  request: ModelRequest,
  signal: AbortSignal,
  onText: (text: string) => void,
): Promise<Answer> {
  let iterator: AsyncIterator<StreamEvent> | null = null;
  try {
    iterator = provider.request(request, signal)[Symbol.asyncIterator]();
    return await gather(iterator, signal, onText);
  } catch (thrown) {
    return failed(
      "other",
      `the provider ${provider.name} threw: ${thrown instanceof Error ? thrown.message : String(thrown)}`,
    );
  } finally {
    // Not awaited: a provider that hangs must not hang the agent.
    iterator?.return?.().catch(() => {});
  }
}

async function gather(
  iterator: AsyncIterator<StreamEvent>,
  signal: AbortSignal,
  onText: (text: string) => void,
): Promise<Answer> {
  let text = "";
  const calls: ToolCall[] = [];
  for (;;) {
    const step = await orAborted(iterator.next(), signal);
    if (step.kind === "aborted") return { kind: "aborted" };
    if (step.value.done === true)
      return failed("bad-answer", "the answer broke off: the stream ended without saying that it was done");
    const event = step.value.value;
    switch (event.kind) {
      case "text":
        text += event.text;
        onText(event.text);
        break;
      case "call":
        calls.push(event.call);
        break;
      case "done":
        if (text === "" && calls.length === 0 && event.stop !== "length")
          return failed("bad-answer", "the answer was empty: no text and no tool call");
        return { kind: "whole", text, calls: withUniqueIds(calls), stop: event.stop, usage: event.usage };
      case "error":
        return { kind: "failed", error: event.error };
      case "aborted":
        return { kind: "aborted" };
      default:
        return unreachable(event);
    }
  }
}

/** Some servers number every call 0: a result could then not be matched with its call. */
function withUniqueIds(calls: readonly ToolCall[]): readonly ToolCall[] {
  const taken = new Set<string>();
  return calls.map((call, index) => {
    let id: string = call.id === "" ? `call-${index + 1}` : call.id;
    for (let copy = 2; taken.has(id); copy++) id = `${call.id}-${copy}`;
    taken.add(id);
    return id === call.id ? call : { ...call, id: asCallId(id) };
  });
}

function failed(code: ModelError["code"], message: string): Answer {
  return { kind: "failed", error: { kind: "model", code, message, retryAfterMs: null } };
}
