// What reaches a provider: system prompt, tools, history and cache markers in its own wire form.

import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { ask, KINDS, model, serve } from "../../../test/servers/asking.ts";
import { asCallId } from "../../base/ids.ts";
import type { Message, ToolSpec } from "../../model/message.ts";
import type { AiSdkKind } from "./kinds.ts";

const schema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  properties: { pattern: { type: "string", minLength: 1 }, limit: { type: "integer", exclusiveMinimum: 0 } },
  required: ["pattern"],
  additionalProperties: false,
};

const TOOLS: readonly ToolSpec[] = [
  { name: "glob", description: "Finds files.", inputSchema: schema },
  { name: "look", description: "Looks.", inputSchema: { type: "object", properties: {} } },
];

const HISTORY: readonly Message[] = [
  { role: "user", text: "find both" },
  {
    role: "assistant",
    text: "Two globs.",
    calls: [
      { id: asCallId("c1"), name: "glob", arguments: { kind: "parsed", value: { pattern: "*.ts" } } },
      { id: asCallId("c2"), name: "glob", arguments: { kind: "parsed", value: { pattern: "[" } } },
    ],
  },
  {
    role: "tool",
    results: [
      { callId: asCallId("c1"), name: "glob", text: "a.ts", isError: false },
      { callId: asCallId("c2"), name: "glob", text: "the pattern is broken", isError: true },
    ],
  },
];

/** The body that a server of the kind got for a history. */
async function sent(kind: AiSdkKind, messages: readonly Message[] = HISTORY, tools = TOOLS): Promise<unknown> {
  await using server = await serve("rules: [{say: hello}]");
  const asked = await ask(model(kind, server.url), { messages, tools, outputTokensMax: 500 });
  expect(asked.end).toBe("end");
  return server.requests[0]?.body;
}

test.each(["openai-chat", "openai-compatible"] as const)(
  "%s: what the user says twice in a row goes out as one message, since local chat templates take turns only",
  async (kind) => {
    const body = JSON.stringify(
      await sent(kind, [
        { role: "user", text: "the task" },
        { role: "user", text: "who else" },
      ]),
    );
    expect(body.match(/"role":"user"/g)).toHaveLength(1);
    expect(body).toContain("the task\\n\\nwho else");
  },
);

test("H4 Anthropic: one result a call in the next message, failed ones marked, four cache markers", async () => {
  const marker = { type: "ephemeral" };
  expect(await sent("anthropic")).toEqual({
    model: "test-model",
    max_tokens: 500,
    stream: true,
    system: [{ type: "text", text: "You test.", cache_control: marker }],
    tools: [
      { name: "glob", description: "Finds files.", input_schema: schema },
      { name: "look", description: "Looks.", input_schema: { type: "object", properties: {} }, cache_control: marker },
    ],
    messages: [
      { role: "user", content: [{ type: "text", text: "find both", cache_control: marker }] },
      {
        role: "assistant",
        content: [
          { type: "text", text: "Two globs." },
          { type: "tool_use", id: "c1", name: "glob", input: { pattern: "*.ts" } },
          { type: "tool_use", id: "c2", name: "glob", input: { pattern: "[" } },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "c1", content: "a.ts" },
          {
            type: "tool_result",
            tool_use_id: "c2",
            content: "the pattern is broken",
            is_error: true,
            cache_control: marker,
          },
        ],
      },
    ],
  });
});

test("H4 OpenAI Responses: nothing is stored, schemas as they are, one output a call", async () => {
  expect(await sent("openai")).toEqual({
    model: "test-model",
    max_output_tokens: 500,
    stream: true,
    store: false,
    tools: [
      { type: "function", name: "glob", description: "Finds files.", parameters: schema, strict: false },
      {
        type: "function",
        name: "look",
        description: "Looks.",
        parameters: { type: "object", properties: {} },
        strict: false,
      },
    ],
    input: [
      { role: "system", content: "You test." },
      { role: "user", content: [{ type: "input_text", text: "find both" }] },
      { role: "assistant", content: "Two globs." },
      { type: "function_call", call_id: "c1", name: "glob", arguments: '{"pattern":"*.ts"}' },
      { type: "function_call", call_id: "c2", name: "glob", arguments: '{"pattern":"["}' },
      { type: "function_call_output", call_id: "c1", output: "a.ts" },
      { type: "function_call_output", call_id: "c2", output: "error: the pattern is broken" },
    ],
  });
});

test.each<AiSdkKind>(["openai-chat", "openai-compatible"])(
  "H4 %s: one message a result, usage asked for",
  async (kind) => {
    const call = (id: string, pattern: string) => ({
      id,
      type: "function",
      function: { name: "glob", arguments: JSON.stringify({ pattern }) },
    });
    expect(await sent(kind)).toEqual({
      model: "test-model",
      max_tokens: 500,
      stream: true,
      stream_options: { include_usage: true },
      tools: [
        { type: "function", function: { name: "glob", description: "Finds files.", parameters: schema } },
        {
          type: "function",
          function: { name: "look", description: "Looks.", parameters: { type: "object", properties: {} } },
        },
      ],
      messages: [
        { role: "system", content: "You test." },
        { role: "user", content: "find both" },
        { role: "assistant", content: "Two globs.", tool_calls: [call("c1", "*.ts"), call("c2", "[")] },
        { role: "tool", tool_call_id: "c1", content: "a.ts" },
        { role: "tool", tool_call_id: "c2", content: "error: the pattern is broken" },
      ],
    });
  },
);

test("H4 Gemini: all results of an answer in one message, a failed one as an error", async () => {
  expect(await sent("google")).toEqual({
    generationConfig: { maxOutputTokens: 500 },
    systemInstruction: { parts: [{ text: "You test." }] },
    tools: [
      { functionDeclarations: [expect.objectContaining({ name: "glob" }), expect.objectContaining({ name: "look" })] },
    ],
    contents: [
      { role: "user", parts: [{ text: "find both" }] },
      {
        role: "model",
        parts: [
          { text: "Two globs." },
          { functionCall: { id: "c1", name: "glob", args: { pattern: "*.ts" } } },
          { functionCall: { id: "c2", name: "glob", args: { pattern: "[" } } },
        ],
      },
      {
        role: "user",
        parts: [
          { functionResponse: { id: "c1", name: "glob", response: { name: "glob", content: "a.ts" } } },
          { functionResponse: { id: "c2", name: "glob", response: { name: "glob", error: "the pattern is broken" } } },
        ],
      },
    ],
  });
});

test("Anthropic's markers move with the conversation: the last two messages to the model bear them", async () => {
  const say = (text: string): Message => ({ role: "assistant", text, calls: [] });
  const longer: readonly Message[] = [
    ...HISTORY,
    say("done"),
    { role: "user", text: "go on" },
    say("yes"),
    { role: "user", text: "and?" },
  ];
  await using server = await serve("rules: [{say: hello}]");
  for (const messages of [HISTORY, longer]) await ask(model("anthropic", server.url), { messages, tools: TOOLS });
  await ask(model("anthropic", server.url), { messages: HISTORY.slice(0, 1), tools: [], system: "" });
  expect(server.requests.map(({ cacheMarkers }) => cacheMarkers)).toEqual([
    ["system", "tool look", "message 1", "message 3"],
    ["system", "tool look", "message 5", "message 7"],
    ["message 1"],
  ]);
});

test("the tools of a request, and only those, are offered", async () => {
  await using server = await serve("rules: [{say: hello}]");
  for (const kind of KINDS) {
    await ask(model(kind, server.url), { tools: TOOLS });
    await ask(model(kind, server.url), { tools: [] });
  }
  expect(server.requests.map(({ tools }) => tools)).toEqual(KINDS.flatMap(() => [["glob", "look"], []]));
});

const ODD: readonly Message[] = [
  { role: "user", text: "half an emoji: \ud83e, and go" },
  {
    role: "assistant",
    text: "",
    calls: [
      { id: asCallId("functions.glob:0"), name: "glob", arguments: { kind: "malformed", text: '{"pattern": "*.t' } },
      { id: asCallId("same"), name: "no such tool!", arguments: { kind: "parsed", value: ["list"] } },
      { id: asCallId("same"), name: "look", arguments: { kind: "parsed", value: {} } },
      { id: asCallId("x".repeat(80)), name: "look", arguments: { kind: "parsed", value: null } },
    ],
  },
  {
    role: "tool",
    results: [
      { callId: asCallId("functions.glob:0"), name: "glob", text: "malformed", isError: true },
      { callId: asCallId("same"), name: "no such tool!", text: "unknown", isError: true },
      { callId: asCallId("same"), name: "look", text: "", isError: false },
      { callId: asCallId("x".repeat(80)), name: "look", text: "seen", isError: false },
    ],
  },
];

test("H4 a history that another model left is sent in a form that every provider takes", async () => {
  await using server = await serve("rules: [{say: hello}]");
  const asked = await Promise.all(
    KINDS.map((kind) => ask(model(kind, server.url), { messages: ODD, tools: TOOLS, system: "\udc00 cut" })),
  );
  expect(asked.map(({ end }) => end)).toEqual(KINDS.map(() => "end"));
  for (const { protocol, messages, system } of server.requests) {
    const [first, answered, results] = messages;
    const calls = answered?.role === "assistant" ? answered.calls : [];
    expect({
      protocol,
      system,
      first,
      names: calls.map(({ name }) => name),
      inputs: calls.map(({ arguments: given }) => (given.kind === "parsed" ? given.value : given.text)),
      ids: calls.map(({ id }) => id),
      answers: results?.role === "tool" ? results.results.map(({ callId }) => callId) : [],
    }).toEqual({
      protocol,
      system: "\ufffd cut",
      first: { role: "user", text: "half an emoji: \ufffd, and go" },
      names: ["glob", "no_such_tool_", "look", "look"],
      inputs: [{ unparsed_arguments: '{"pattern": "*.t' }, { value: ["list"] }, {}, { value: null }],
      ids: ["call_1", "same", "call_3", "call_4"],
      answers: ["call_1", "same", "call_3", "call_4"],
    });
  }
});

test("naming one model loads one package", () => {
  const program = `
    import { registerHooks } from "node:module";
    const loaded = new Set();
    registerHooks({
      load(url, context, next) {
        const [, name] = /node_modules[/](@ai-sdk[/][^/]+|ai)[/]/.exec(url) ?? [];
        if (name !== undefined) loaded.add(name);
        return next(url, context);
      },
    });
    const { loadModel } = await import(${JSON.stringify(new URL("./kinds.ts", import.meta.url).href)});
    await loadModel({ kind: "google", model: "m", apiKey: "k", baseUrl: "http://127.0.0.1:1/v1beta" });
    process.stdout.write([...loaded].sort().join());
  `;
  const loaded = execFileSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8" });
  expect(loaded).toBe("@ai-sdk/google,@ai-sdk/provider,@ai-sdk/provider-utils");
});
