// One answer as the events of each protocol's stream, as their public references describe them.

import type { Answer, Call } from "./fake-model.ts";

export interface WireAnswer {
  /** The answer to a request that asks for no stream. */
  readonly whole: object;
  readonly events: readonly WireEvent[];
}

/** A text is sent as it is. */
export type WireEvent = string | { readonly type?: string; readonly [key: string]: unknown };

/** https://html.spec.whatwg.org/multipage/server-sent-events.html; events are named by their type, where they have one. */
export function framesOf(events: readonly WireEvent[]): readonly string[] {
  return events.map((event) => {
    if (typeof event === "string") return `data: ${event}\n\n`;
    return `${event.type === undefined ? "" : `event: ${event.type}\n`}data: ${JSON.stringify(event)}\n\n`;
  });
}

/** https://docs.anthropic.com/en/docs/build-with-claude/streaming */
export function anthropicAnswer({ say, calls = [] }: Answer, id: () => string): WireAnswer {
  const usage = { input_tokens: 100, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 20 };
  const message = { id: `msg_${id()}`, type: "message", role: "assistant", model: "fake", content: [] };
  const blocks = [
    ...(say === undefined ? [] : [textBlock(say)]),
    ...calls.map((call) => toolBlock(call.name, "args" in call ? call.args : {}, `toolu_${id()}`)),
  ];
  const stop = { stop_reason: calls.length > 0 ? "tool_use" : "end_turn", stop_sequence: null };
  const events = [
    { type: "message_start", message: { ...message, stop_reason: null, stop_sequence: null, usage } },
    ...blocks.flatMap(({ content_block, delta }, index) => [
      { type: "content_block_start", index, content_block },
      { type: "content_block_delta", index, delta },
      { type: "content_block_stop", index },
    ]),
    { type: "message_delta", delta: stop, usage: { output_tokens: 20 } },
    { type: "message_stop" },
  ];
  return { whole: { ...message, ...stop, usage, content: blocks.map(({ whole }) => whole) }, events };
}

function textBlock(text: string) {
  const block = { type: "text", text };
  return { whole: block, content_block: { ...block, text: "" }, delta: { type: "text_delta", text } };
}

function toolBlock(name: string, input: object, id: string) {
  const delta = { type: "input_json_delta", partial_json: JSON.stringify(input) };
  const block = { type: "tool_use", id, name, input };
  return { whole: block, content_block: { ...block, input: {} }, delta };
}

/** https://platform.openai.com/docs/api-reference/responses-streaming */
export function responsesAnswer({ say, calls = [] }: Answer, id: () => string): WireAnswer {
  const output = [...(say === undefined ? [] : [messageItem(say, id())]), ...calls.map((call) => callItem(call, id()))];
  const response = {
    id: `resp_${id()}`,
    object: "response",
    created_at: 0,
    status: "completed",
    model: "fake",
    output,
    usage: {
      input_tokens: 100,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 20,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 120,
    },
    error: null,
    incomplete_details: null,
    parallel_tool_calls: true,
    tools: [],
  };
  const events = [
    { type: "response.created", response: { ...response, status: "in_progress", output: [], usage: null } },
    ...output.flatMap((item, output_index) => [
      { type: "response.output_item.added", output_index, item: { ...item, status: "in_progress" } },
      { type: "response.output_item.done", output_index, item },
    ]),
    { type: "response.completed", response },
  ];
  return { whole: response, events: events.map((event, sequence_number) => ({ ...event, sequence_number })) };
}

function messageItem(text: string, id: string) {
  const content = [{ type: "output_text", text, annotations: [] }];
  return { type: "message", id: `msg_${id}`, role: "assistant", status: "completed", content };
}

function callItem(call: Call, id: string) {
  const common = { call_id: `call_${id}`, name: call.name, status: "completed" };
  return "input" in call
    ? { type: "custom_tool_call", id: `ctc_${id}`, ...common, input: call.input }
    : {
        type: "function_call",
        id: `fc_${id}`,
        ...common,
        // Of a tool that belongs to a group, as those of a server do.
        ...(call.namespace === undefined ? {} : { namespace: call.namespace }),
        arguments: JSON.stringify(call.args),
      };
}

/** https://platform.openai.com/docs/api-reference/chat-streaming */
export function chatAnswer({ say, calls = [] }: Answer, id: () => string): WireAnswer {
  const tool_calls = calls.map((call, index) => ({
    index,
    id: `call_${id()}`,
    type: "function",
    function: { name: call.name, arguments: JSON.stringify("args" in call ? call.args : {}) },
  }));
  const finish_reason = calls.length > 0 ? "tool_calls" : "stop";
  const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };
  const common = { id: `chatcmpl_${id()}`, created: 0, model: "fake" };
  const said = { ...(say === undefined ? {} : { content: say }), ...(calls.length === 0 ? {} : { tool_calls }) };
  const chunk = (delta: object, finish: string | null) => ({
    ...common,
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
  const message = { role: "assistant", content: null, ...said };
  return {
    whole: { ...common, object: "chat.completion", choices: [{ index: 0, message, finish_reason }], usage },
    events: [
      chunk({ role: "assistant", content: "" }, null),
      chunk(said, null),
      chunk({}, finish_reason),
      { ...common, object: "chat.completion.chunk", choices: [], usage },
      "[DONE]",
    ],
  };
}

/** https://ai.google.dev/api/generate-content */
export function geminiAnswer({ say, calls = [] }: Answer, id: () => string): WireAnswer {
  const parts = [
    ...(say === undefined ? [] : [{ text: say }]),
    ...calls.map((call) => ({
      functionCall: { id: `call_${id()}`, name: call.name, args: "args" in call ? call.args : {} },
      thoughtSignature: "c2lnbmF0dXJl",
    })),
  ];
  const whole = {
    candidates: [{ content: { role: "model", parts }, finishReason: "STOP", index: 0 }],
    usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 20, totalTokenCount: 120 },
    modelVersion: "fake",
    responseId: id(),
  };
  return { whole, events: [whole] };
}
