// OpenAI's Responses API, streaming. Source: platform.openai.com/docs/api-reference/responses-streaming.

import type { Message, ToolCall } from "../../src/model/message.ts";
import { callOf, list, object, optionalList, optionalNumber, resultOf, string, textOf, WrongBody } from "./body.ts";
import { openAiErrors, openAiErrorWord } from "./openai-errors.ts";
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

type Event = Json & { readonly type: string };

export const responses: Protocol = {
  name: "responses",
  takes: (path) => path.endsWith("/responses"),
  keyIn: ({ authorization }) => bearer(authorization),
  read,
  frames,
  refusal: openAiErrors.refusal,
  errorFrame: (code, message) =>
    frame(
      { type: "error", code: openAiErrorWord(code), message, param: null, sequence_number: 99 },
      { event: "error" },
    ),
};

function read(given: unknown): Reading {
  const body = object(given, "body");
  if (body.stream !== true) throw new WrongBody("stream: only streaming is served");
  const items = list(body.input, "input").map((item, index) => object(item, `input[${index}]`));
  const isSystem = ({ role }: Json) => role === "system" || role === "developer";
  return {
    model: string(body.model, "model"),
    system: [
      textOf(body.instructions, "instructions"),
      ...items.filter(isSystem).map(({ content }) => textOf(content, "system")),
    ]
      .filter((text) => text !== "")
      .join("\n"),
    messages: messagesOf(items.filter((item) => !isSystem(item))),
    tools: optionalList(body.tools, "tools").map((tool, index) =>
      string(object(tool, `tools[${index}]`).name, `tools[${index}].name`),
    ),
    outputTokensMax: optionalNumber(body.max_output_tokens),
    cacheMarkers: [],
    wantsUsage: true,
  };
}

/** Text and calls of one answer are items of their own. */
function messagesOf(items: readonly Json[]): readonly Message[] {
  const messages: Message[] = [];
  const open = new Map<string, string>();
  const answered = (text: string, calls: readonly ToolCall[]): void => {
    const before = messages.at(-1);
    if (before?.role === "assistant") messages.pop();
    const earlier = before?.role === "assistant" ? before : { text: "", calls: [] };
    messages.push({ role: "assistant", text: earlier.text + text, calls: [...earlier.calls, ...calls] });
  };
  for (const [index, item] of items.entries()) {
    const at = `input[${index}]`;
    if (item.type === "function_call") {
      const call = callOf(item.call_id, item.name, item.arguments, at);
      open.set(call.id, call.name);
      answered("", [call]);
    } else if (item.type === "function_call_output") {
      const name = open.get(String(item.call_id));
      if (name === undefined)
        throw new WrongBody(`No tool call found for function call output with call_id ${String(item.call_id)}.`);
      open.delete(String(item.call_id));
      const before = messages.at(-1);
      const results = before?.role === "tool" ? before.results : [];
      if (before?.role === "tool") messages.pop();
      messages.push({
        role: "tool",
        results: [...results, resultOf(item.call_id, name, textOf(item.output, at), false, at)],
      });
    } else if (item.role === "assistant") answered(textOf(item.content, at), []);
    else if (item.role === "user") messages.push({ role: "user", text: textOf(item.content, at) });
    else throw new WrongBody(`${at}: an item of type ${String(item.type)} is not served`);
  }
  if (open.size > 0) throw new WrongBody(`No tool output found for function call ${[...open.keys()].join()}.`);
  return messages;
}

function frames(answer: Answer, reading: Reading): readonly Frame[] {
  const { thinking, text, calls, stop } = answer;
  const items = [
    ...(thinking === null ? [] : [reasoningItem(thinking)]),
    ...(text === "" ? [] : [stop === "refusal" ? refusalItem(text) : messageItem(text)]),
  ];
  const callItems = calls.map((call, index) => callItem(call, stop === "length" && index === calls.length - 1));
  const outputs = [...items, ...callItems];
  const eventsOf = outputs.map((item, index) => item.events(index));
  const callEvents = eventsOf.slice(items.length);
  const response = {
    id: "resp_1",
    object: "response",
    created_at: 1_700_000_000,
    status: "in_progress",
    model: reading.model,
    error: null,
    incomplete_details: null,
    output: [],
    usage: null,
  };
  const cut = stop === "length";
  const last = {
    ...response,
    status: cut ? "incomplete" : "completed",
    incomplete_details: cut ? { reason: "max_output_tokens" } : null,
    output: outputs.map(({ item }) => item),
    usage: usageOf(answer),
  };
  const events: readonly Event[] = [
    { type: "response.created", response },
    { type: "response.in_progress", response },
    ...eventsOf.slice(0, items.length).flat(),
    ...(answer.interleaved ? inTurns(callEvents) : callEvents.flat()),
    { type: cut ? "response.incomplete" : "response.completed", response: last },
  ];
  return events.map((event, number) =>
    frame({ ...event, sequence_number: number }, { event: event.type, announcesCall: isCallStart(event) }),
  );
}

function isCallStart({ type, item }: Event): boolean {
  return type === "response.output_item.added" && object(item, "item").type === "function_call";
}

interface Item {
  readonly item: Json;
  events(index: number): readonly Event[];
}

function reasoningItem(text: string): Item {
  const item = { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text }] };
  return {
    item,
    events: (index) => [
      { type: "response.output_item.added", output_index: index, item: { ...item, summary: [] } },
      {
        type: "response.reasoning_summary_part.added",
        item_id: item.id,
        output_index: index,
        summary_index: 0,
        part: { type: "summary_text", text: "" },
      },
      {
        type: "response.reasoning_summary_text.delta",
        item_id: item.id,
        output_index: index,
        summary_index: 0,
        delta: text,
      },
      { type: "response.output_item.done", output_index: index, item },
    ],
  };
}

function messageItem(text: string): Item {
  const content = [{ type: "output_text", text, annotations: [] }];
  const item = { type: "message", id: "msg_1", role: "assistant", status: "completed", content };
  return {
    item,
    events: (index) => {
      const at = { item_id: item.id, output_index: index, content_index: 0 };
      return [
        {
          type: "response.output_item.added",
          output_index: index,
          item: { ...item, status: "in_progress", content: [] },
        },
        { type: "response.content_part.added", ...at, part: { type: "output_text", text: "", annotations: [] } },
        ...pieces(text).map((delta) => ({ type: "response.output_text.delta", ...at, delta })),
        { type: "response.output_text.done", ...at, text },
        { type: "response.content_part.done", ...at, part: content[0] },
        { type: "response.output_item.done", output_index: index, item },
      ];
    },
  };
}

function refusalItem(refusal: string): Item {
  const content = [{ type: "refusal", refusal }];
  const item = { type: "message", id: "msg_1", role: "assistant", status: "completed", content };
  return {
    item,
    events: (index) => {
      const at = { item_id: item.id, output_index: index, content_index: 0 };
      return [
        {
          type: "response.output_item.added",
          output_index: index,
          item: { ...item, status: "in_progress", content: [] },
        },
        ...pieces(refusal).map((delta) => ({ type: "response.refusal.delta", ...at, delta })),
        { type: "response.refusal.done", ...at, refusal },
        { type: "response.output_item.done", output_index: index, item },
      ];
    },
  };
}

function callItem({ id, name, json }: AnswerCall, cut: boolean): Item {
  const item = {
    type: "function_call",
    id: `fc_${id}`,
    call_id: id,
    name,
    arguments: json,
    status: cut ? "incomplete" : "completed",
  };
  return {
    item,
    events: (index) => {
      const at = { item_id: item.id, output_index: index };
      return [
        {
          type: "response.output_item.added",
          output_index: index,
          item: { ...item, arguments: "", status: "in_progress" },
        },
        ...pieces(json).map((delta) => ({ type: "response.function_call_arguments.delta", ...at, delta })),
        { type: "response.function_call_arguments.done", ...at, arguments: json },
        { type: "response.output_item.done", output_index: index, item },
      ];
    },
  };
}

/** Null where nothing is known. */
function usageOf({ usage }: Answer): Json | null {
  const { inputTokens, outputTokens, cachedTokens, cacheWriteTokens } = usage;
  if (inputTokens === "unavailable" || outputTokens === "unavailable") return null;
  const details = knownFigures({ cached_tokens: cachedTokens, cache_write_tokens: cacheWriteTokens });
  return {
    input_tokens: inputTokens,
    ...(Object.keys(details).length > 0 && { input_tokens_details: details }),
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: inputTokens + outputTokens,
  };
}
