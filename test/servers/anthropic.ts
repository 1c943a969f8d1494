// Anthropic's Messages API, streaming. Source: platform.claude.com/docs/en/api/messages and …/build-with-claude/streaming.
// As strict as the real one where an agent may go wrong: every tool_use is answered in the next message, by one result each.

import type { Message, ToolResult } from "../../src/model/message.ts";
import { callOf, list, object, optionalList, optionalNumber, resultOf, string, textOf, WrongBody } from "./body.ts";
import {
  type Answer,
  type AnswerCall,
  type Frame,
  frame,
  inTurns,
  type Json,
  knownFigures,
  type Protocol,
  pieces,
  type Reading,
  type RefusalCode,
} from "./protocol.ts";

const markersMax = 4;

const ERRORS: Readonly<Record<RefusalCode, readonly [number, string]>> = {
  unauthorized: [401, "authentication_error"],
  quota: [403, "billing_error"],
  "rate-limit": [429, "rate_limit_error"],
  overloaded: [529, "overloaded_error"],
  "bad-request": [400, "invalid_request_error"],
  "not-found": [404, "not_found_error"],
  other: [500, "api_error"],
};

export const anthropic: Protocol = {
  name: "anthropic",
  takes: (path) => path.endsWith("/messages"),
  keyIn: (headers) => (typeof headers["x-api-key"] === "string" ? headers["x-api-key"] : null),
  read,
  frames,
  refusal: (code, message) => ({ status: ERRORS[code][0], body: errorBody(code, message) }),
  errorFrame: (code, message) => frame(errorBody(code, message), { event: "error" }),
};

function errorBody(code: RefusalCode, message: string): Json {
  return { type: "error", error: { type: ERRORS[code][1], message }, request_id: "req_1" };
}

function read(given: unknown): Reading {
  const body = object(given, "body");
  if (body.stream !== true) throw new WrongBody("stream: only streaming is served");
  const system = typeof body.system === "string" ? [{ text: body.system }] : optionalList(body.system, "system");
  const tools = optionalList(body.tools, "tools").map((tool, index) => object(tool, `tools[${index}]`));
  const wire = list(body.messages, "messages").map((message, index) => object(message, `messages[${index}]`));
  const cacheMarkers = [
    ...system.flatMap((part) => (marked(part) ? ["system"] : [])),
    ...tools.flatMap((tool) => (marked(tool) ? [`tool ${String(tool.name)}`] : [])),
    ...wire.flatMap(({ content }, index) =>
      Array.isArray(content) && content.some(marked) ? [`message ${index + 1}`] : [],
    ),
  ];
  if (cacheMarkers.length > markersMax)
    throw new WrongBody(`A maximum of ${markersMax} blocks with cache_control may be provided.`);
  return {
    model: string(body.model, "model"),
    system: textOf(system, "system"),
    messages: messagesOf(wire),
    tools: tools.map(({ name }, index) => string(name, `tools[${index}].name`)),
    outputTokensMax: optionalNumber(body.max_tokens),
    cacheMarkers,
    wantsUsage: true,
  };
}

function marked(part: unknown): boolean {
  const { cache_control: control } = object(part, "part");
  return typeof control === "object" && control !== null && object(control, "cache_control").type === "ephemeral";
}

function messagesOf(wire: readonly Json[]): readonly Message[] {
  const messages: Message[] = [];
  const names = new Map<string, string>();
  for (const [index, { role, content }] of wire.entries()) {
    const at = `messages[${index}]`;
    if ((index % 2 === 0 ? "user" : "assistant") !== role) throw new WrongBody(`${at}: roles must alternate`);
    const parts =
      typeof content === "string"
        ? [{ type: "text", text: content }]
        : list(content, at).map((part) => object(part, at));
    const texts = parts.flatMap((part) => (part.type === "text" ? [string(part.text, at)] : []));
    if (texts.includes("")) throw new WrongBody(`${at}: text content blocks must be non-empty`);
    if (role === "assistant") {
      const calls = parts.flatMap((part) =>
        part.type === "tool_use" ? [callOf(part.id, part.name, part.input, at)] : [],
      );
      for (const call of calls) names.set(call.id, call.name);
      messages.push({ role, text: texts.join(""), calls });
      continue;
    }
    const results = parts.flatMap((part) => (part.type === "tool_result" ? [toolResult(part, names, at)] : []));
    const before = messages.at(-1);
    const asked = before?.role === "assistant" ? before.calls.map(({ id }): string => id) : [];
    const given = results.map(({ callId }): string => callId);
    if (asked.toSorted().join() !== given.toSorted().join())
      throw new WrongBody(
        `${at}: tool_use ids were found without tool_result blocks immediately after: ${asked.join()}`,
      );
    if (results.length > 0) messages.push({ role: "tool", results });
    // Messages of one side in a row come as one, each a part of its own.
    messages.push(...texts.map((text) => ({ role: "user" as const, text })));
  }
  return messages;
}

function toolResult(part: Json, names: ReadonlyMap<string, string>, at: string): ToolResult {
  const { tool_use_id: id, content, is_error: failed } = part;
  return resultOf(id, names.get(String(id)) ?? "", textOf(content, at), failed === true, at);
}

function frames(answer: Answer, reading: Reading): readonly Frame[] {
  const { usage, thinking, text, calls } = answer;
  const event = (data: Json & { readonly type: string }, announcesCall = false): Frame =>
    frame(data, { event: data.type, announcesCall });
  const input = inputFigures(answer, reading);
  const start = {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: reading.model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { ...input, output_tokens: 1 },
  };
  const texts = [
    ...(thinking === null ? [] : [thinkingBlock(thinking)]),
    ...(text === "" ? [] : [textBlock(text)]),
  ].flatMap((block, index) => block(index));
  const first = (thinking === null ? 0 : 1) + (text === "" ? 0 : 1);
  const blocks = calls.map((call, index) => callBlock(call, first + index));
  return [
    event({ type: "message_start", message: start }),
    event({ type: "ping" }),
    ...texts.map((data) => event(data)),
    ...(answer.interleaved ? inTurns(blocks) : blocks.flat()).map((data) =>
      event(data, data.type === "content_block_start"),
    ),
    event({
      type: "message_delta",
      delta: { stop_reason: STOPS[answer.stop], stop_sequence: null },
      usage: { output_tokens: usage.outputTokens === "unavailable" ? estimate(text) : usage.outputTokens },
    }),
    event({ type: "message_stop" }),
  ];
}

const STOPS: Readonly<Record<Answer["stop"], string>> = {
  end: "end_turn",
  calls: "tool_use",
  length: "max_tokens",
  refusal: "refusal",
};

/** The protocol always counts; where the script says nothing, by the length of the text. */
function inputFigures({ usage }: Answer, reading: Reading): Json {
  const { inputTokens, cachedTokens, cacheWriteTokens } = usage;
  if (inputTokens === "unavailable")
    return { input_tokens: estimate(reading.system + JSON.stringify(reading.messages)) };
  const read = cachedTokens === "unavailable" ? 0 : cachedTokens;
  const written = cacheWriteTokens === undefined || cacheWriteTokens === "unavailable" ? 0 : cacheWriteTokens;
  return {
    input_tokens: inputTokens - read - written,
    ...(cachedTokens !== "unavailable" && { cache_creation_input_tokens: written }),
    ...knownFigures({ cache_read_input_tokens: cachedTokens }),
  };
}

function estimate(text: string): number {
  return Math.ceil(text.length / 4);
}

type Block = (index: number) => readonly (Json & { readonly type: string })[];

function thinkingBlock(thinking: string): Block {
  return (index) => [
    { type: "content_block_start", index, content_block: { type: "thinking", thinking: "", signature: "" } },
    { type: "content_block_delta", index, delta: { type: "thinking_delta", thinking } },
    { type: "content_block_delta", index, delta: { type: "signature_delta", signature: "c2lnbmVk" } },
    { type: "content_block_stop", index },
  ];
}

function textBlock(text: string): Block {
  return (index) => [
    { type: "content_block_start", index, content_block: { type: "text", text: "" } },
    ...pieces(text).map((piece) => ({
      type: "content_block_delta",
      index,
      delta: { type: "text_delta", text: piece },
    })),
    { type: "content_block_stop", index },
  ];
}

function callBlock({ id, name, json }: AnswerCall, index: number): readonly (Json & { readonly type: string })[] {
  return [
    { type: "content_block_start", index, content_block: { type: "tool_use", id, name, input: {} } },
    ...pieces(json === "{}" ? "" : json).map((piece) => ({
      type: "content_block_delta",
      index,
      delta: { type: "input_json_delta", partial_json: piece },
    })),
    { type: "content_block_stop", index },
  ];
}
