// A model request in the SDK's form: system prompt, history, tools, cache markers.

import type {
  LanguageModelV4CallOptions,
  LanguageModelV4FunctionTool,
  LanguageModelV4Prompt,
  LanguageModelV4ToolCallPart,
  LanguageModelV4ToolResultPart,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import { assert, unreachable } from "../../base/assert.ts";
import type { Message, ToolCall, ToolResult, ToolSpec } from "../../model/message.ts";
import type { ModelRequest } from "../../model/provider.ts";
import { inTurns } from "../../model/turns.ts";
import type { AiSdkKind } from "./kinds.ts";
import { wireIds, wireName } from "./wire-names.ts";

type PromptMessage = LanguageModelV4Prompt[number];

/**
 * Anthropic caches what stands before a marker, and takes four: system prompt, last tool, and the last two messages to the
 * model. The second of those is where the request before this one ended: with it the cache is found however many blocks
 * have come since (Anthropic looks back over 20 of them).
 */
const CACHE_MARKER: SharedV4ProviderOptions = { anthropic: { cacheControl: { type: "ephemeral" } } };
const markedMessagesMax = 2;

export function callOptions(kind: AiSdkKind, request: ModelRequest, signal: AbortSignal): LanguageModelV4CallOptions {
  const marker = kind === "anthropic" ? CACHE_MARKER : null;
  const options = optionsOf(kind);
  return {
    prompt: promptOf(request, kind, marker),
    ...(request.tools.length > 0 && { tools: toolsOf(request.tools, marker) }),
    maxOutputTokens: request.outputTokensMax,
    abortSignal: signal,
    ...(options !== null && { providerOptions: options }),
  };
}

function optionsOf(kind: AiSdkKind): SharedV4ProviderOptions | null {
  switch (kind) {
    case "anthropic":
      // Arguments are acted on whole; streamed eagerly they come unchecked.
      return { anthropic: { toolStreaming: false } };
    case "openai":
      // The history is ours: nothing of it is to be kept there.
      return { openai: { store: false } };
    case "openai-chat":
    case "google":
    case "openai-compatible":
      return null;
    default:
      return unreachable(kind);
  }
}

function toolsOf(tools: readonly ToolSpec[], marker: SharedV4ProviderOptions | null): LanguageModelV4FunctionTool[] {
  return tools.map(({ name, description, inputSchema }, index) => ({
    type: "function",
    name,
    description,
    // The SDK's type knows draft 7 only; the schema goes out as it is.
    inputSchema: inputSchema as LanguageModelV4FunctionTool["inputSchema"],
    ...(marker !== null && index === tools.length - 1 && { providerOptions: marker }),
  }));
}

function promptOf(
  { system, messages: said }: ModelRequest,
  kind: AiSdkKind,
  marker: SharedV4ProviderOptions | null,
): LanguageModelV4Prompt {
  // Chat templates of many local models, to which servers of Chat Completions hand messages, refuse two of the user's in a row.
  const messages = kind === "openai-chat" || kind === "openai-compatible" ? inTurns(said) : said;
  const ids = wireIds(messages);
  const marked = marker === null ? [] : messages.flatMap(({ role }, index) => (role === "assistant" ? [] : [index]));
  const markedFrom = marked.slice(-markedMessagesMax);
  const prompt = messages.map((message, index) => ({
    ...messageOf(message, ids[index] ?? [], kind),
    ...(marker !== null && markedFrom.includes(index) && { providerOptions: marker }),
  }));
  if (system === "") return prompt;
  const first: PromptMessage = { role: "system", content: system.toWellFormed() };
  return [marker === null ? first : { ...first, providerOptions: marker }, ...prompt];
}

function messageOf(message: Message, ids: readonly string[], kind: AiSdkKind): PromptMessage {
  switch (message.role) {
    case "user":
      // Providers refuse an empty text.
      return { role: "user", content: [{ type: "text", text: message.text.toWellFormed() || "(empty)" }] };
    case "assistant": {
      const text = message.text.toWellFormed();
      const calls = message.calls.map((call, index) => callPart(call, idAt(ids, index)));
      return { role: "assistant", content: [...(text === "" ? [] : [{ type: "text" as const, text }]), ...calls] };
    }
    case "tool":
      return {
        role: "tool",
        content: message.results.map((result, index) => resultPart(result, idAt(ids, index), kind)),
      };
    default:
      return unreachable(message);
  }
}

function callPart(call: ToolCall, id: string): LanguageModelV4ToolCallPart {
  return { type: "tool-call", toolCallId: id, toolName: wireName(call.name), input: inputOf(call) };
}

/** Providers take an object only: what did not parse, or is none, is shown inside of one. */
function inputOf({ arguments: given }: ToolCall): Readonly<Record<string, unknown>> {
  if (given.kind === "malformed") return { unparsed_arguments: given.text.toWellFormed() };
  const { value } = given;
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : { value };
}

function resultPart(result: ToolResult, id: string, kind: AiSdkKind): LanguageModelV4ToolResultPart {
  const text = result.text.toWellFormed();
  const part = { type: "tool-result", toolCallId: id, toolName: wireName(result.name) } as const;
  if (!result.isError) return { ...part, output: { type: "text", value: text } };
  if (hasErrorMark(kind)) return { ...part, output: { type: "error-text", value: text } };
  return { ...part, output: { type: "text", value: `error: ${text}` } };
}

/** OpenAI's protocols have no mark for a failed call: there it is said in the text. */
function hasErrorMark(kind: AiSdkKind): boolean {
  return kind === "anthropic" || kind === "google";
}

function idAt(ids: readonly string[], index: number): string {
  const id = ids[index];
  assert(id !== undefined, "every call and result has an id on the wire");
  return id;
}
