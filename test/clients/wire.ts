// One answer as the events of each protocol's stream, as their public references describe them.

import type { Answer, Call } from "./fake-model.ts";

export interface WireEvent {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** https://docs.anthropic.com/en/docs/build-with-claude/streaming */
export function anthropicAnswer({ say, calls = [] }: Answer, id: () => string): readonly WireEvent[] {
  const usage = { input_tokens: 100, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 20 };
  const message = { id: `msg_${id()}`, type: "message", role: "assistant", model: "fake", content: [] };
  const blocks = [
    ...(say === undefined ? [] : [textBlock(say)]),
    ...calls.map((call) => toolBlock(call.name, "args" in call ? call.args : {}, `toolu_${id()}`)),
  ];
  return [
    { type: "message_start", message: { ...message, stop_reason: null, stop_sequence: null, usage } },
    ...blocks.flatMap(({ content_block, delta }, index) => [
      { type: "content_block_start", index, content_block },
      { type: "content_block_delta", index, delta },
      { type: "content_block_stop", index },
    ]),
    {
      type: "message_delta",
      delta: { stop_reason: calls.length > 0 ? "tool_use" : "end_turn", stop_sequence: null },
      usage: { output_tokens: 20 },
    },
    { type: "message_stop" },
  ];
}

function textBlock(text: string) {
  return { content_block: { type: "text", text: "" }, delta: { type: "text_delta", text } };
}

function toolBlock(name: string, input: object, id: string) {
  const delta = { type: "input_json_delta", partial_json: JSON.stringify(input) };
  return { content_block: { type: "tool_use", id, name, input: {} }, delta };
}

/** https://platform.openai.com/docs/api-reference/responses-streaming */
export function responsesAnswer({ say, calls = [] }: Answer, id: () => string): readonly WireEvent[] {
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
  return events.map((event, sequence_number) => ({ ...event, sequence_number }));
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
