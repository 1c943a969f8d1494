// Chat Completions, streaming, as OpenAI and the servers compatible with it speak it.
// Source: platform.openai.com/docs/api-reference/chat-streaming.

import type { Message } from "../../src/model/message.ts";
import { callOf, list, object, optionalList, optionalNumber, resultOf, string, textOf, WrongBody } from "./body.ts";
import { openAiErrors } from "./openai-errors.ts";
import {
  type Answer,
  type AnswerCall,
  bearer,
  type Frame,
  frame,
  inTurns,
  type Json,
  knownFigures,
  type Protocol,
  pieces,
  type Reading,
} from "./protocol.ts";

export const chat: Protocol = {
  name: "chat",
  takes: (path) => path.endsWith("/chat/completions"),
  keyIn: ({ authorization }) => bearer(authorization),
  read,
  frames,
  ...openAiErrors,
};

function read(given: unknown): Reading {
  const body = object(given, "body");
  if (body.stream !== true) throw new WrongBody("stream: only streaming is served");
  const wire = list(body.messages, "messages").map((message, index) => object(message, `messages[${index}]`));
  const isSystem = ({ role }: Json) => role === "system" || role === "developer";
  const options = body.stream_options === undefined ? {} : object(body.stream_options, "stream_options");
  return {
    model: string(body.model, "model"),
    system: wire
      .filter(isSystem)
      .map(({ content }) => textOf(content, "system"))
      .join("\n"),
    messages: messagesOf(wire.filter((message) => !isSystem(message))),
    tools: optionalList(body.tools, "tools").map((tool, index) =>
      string(
        object(object(tool, `tools[${index}]`).function, `tools[${index}].function`).name,
        `tools[${index}].function.name`,
      ),
    ),
    outputTokensMax: optionalNumber(body.max_tokens) ?? optionalNumber(body.max_completion_tokens),
    cacheMarkers: [],
    wantsUsage: options.include_usage === true,
  };
}

function messagesOf(wire: readonly Json[]): readonly Message[] {
  const messages: Message[] = [];
  const open = new Map<string, string>();
  for (const [index, { role, content, tool_calls: toolCalls, tool_call_id: callId }] of wire.entries()) {
    const at = `messages[${index}]`;
    if (role === "tool") {
      const name = open.get(String(callId));
      if (name === undefined) throw new WrongBody(`${at}: tool_call_id ${String(callId)} answers no call`);
      open.delete(String(callId));
      const before = messages.at(-1);
      const results = before?.role === "tool" ? before.results : [];
      if (before?.role === "tool") messages.pop();
      messages.push({ role: "tool", results: [...results, resultOf(callId, name, textOf(content, at), false, at)] });
      continue;
    }
    if (open.size > 0)
      throw new WrongBody(`${at}: tool_call_ids did not have response messages: ${[...open.keys()].join()}`);
    if (role === "user") messages.push({ role, text: textOf(content, at) });
    else if (role === "assistant") {
      const calls = optionalList(toolCalls, at).map((one) => {
        const { id, function: named } = object(one, at);
        const { name, arguments: args } = object(named, at);
        return callOf(id, name, args, at);
      });
      for (const call of calls) open.set(call.id, call.name);
      messages.push({ role, text: textOf(content, at), calls });
    } else throw new WrongBody(`${at}: role ${String(role)} is not known`);
  }
  if (open.size > 0) throw new WrongBody(`tool_call_ids did not have response messages: ${[...open.keys()].join()}`);
  return messages;
}

function frames(answer: Answer, reading: Reading): readonly Frame[] {
  const base = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1_700_000_000, model: reading.model };
  const chunk = (delta: Json, finish: string | null = null): Json => ({
    ...base,
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
  });
  const calls = answer.calls.map(callDeltas);
  const usage = usageOf(answer);
  const refused = answer.stop === "refusal";
  return [
    frame(chunk({ role: "assistant", content: "" })),
    ...(answer.thinking === null ? [] : [frame(chunk({ reasoning_content: answer.thinking }))]),
    ...(answer.text === "" ? [] : pieces(answer.text)).map((piece) =>
      frame(chunk(refused ? { refusal: piece } : { content: piece })),
    ),
    ...(answer.interleaved ? inTurns(calls) : calls.flat()).map((delta) =>
      frame(chunk({ tool_calls: [delta] }), { announcesCall: "id" in delta }),
    ),
    frame(chunk({}, STOPS[answer.stop])),
    ...(reading.wantsUsage && usage !== null ? [frame({ ...base, choices: [], usage })] : []),
    frame("[DONE]"),
  ];
}

const STOPS: Readonly<Record<Answer["stop"], string>> = {
  end: "stop",
  calls: "tool_calls",
  length: "length",
  refusal: "content_filter",
};

/** The first names the call and holds no arguments yet. */
function callDeltas({ id, name, json }: AnswerCall, index: number): readonly Json[] {
  return [
    { index, id, type: "function", function: { name, arguments: "" } },
    ...pieces(json).map((piece) => ({ index, function: { arguments: piece } })),
  ];
}

/** Null where nothing is known: the chunk with the usage is then left out. */
function usageOf({ usage }: Answer): Json | null {
  const { inputTokens, outputTokens, cachedTokens } = usage;
  const figures = knownFigures({ prompt_tokens: inputTokens, completion_tokens: outputTokens });
  if (Object.keys(figures).length === 0) return null;
  return {
    ...figures,
    ...(inputTokens !== "unavailable" &&
      outputTokens !== "unavailable" && { total_tokens: inputTokens + outputTokens }),
    ...(cachedTokens !== "unavailable" && { prompt_tokens_details: { cached_tokens: cachedTokens } }),
  };
}
