// The protocol by hand: what JSON-RPC 2.0 and MCP's 2025-11-25 say must be answered to each kind of line.

import { expect, test } from "vitest";
import { Lines } from "./lines.ts";
import { McpServer, PROTOCOL_VERSIONS } from "./server.ts";

function server(): McpServer {
  const echo = async ({ text }: Readonly<Record<string, unknown>>) => {
    if (text === "broken") throw new Error("a fault of ours");
    return { failed: text === undefined, text: String(text) };
  };
  const tool = {
    name: "echo",
    title: "Echo",
    description: "d",
    inputSchema: { type: "object" },
    readOnly: true,
    run: echo,
  };
  return new McpServer({ version: "1", instructions: "i", tools: [tool] });
}

async function ask(to: McpServer, message: unknown): Promise<unknown> {
  const answer = await to.answer(typeof message === "string" ? message : JSON.stringify(message));
  return answer === null ? null : JSON.parse(answer);
}

const call = (id: unknown, method: string, params?: unknown) => ({ jsonrpc: "2.0", id, method, params });
const initialize = (protocolVersion: unknown = "2025-11-25") =>
  call(1, "initialize", { protocolVersion, capabilities: {}, clientInfo: { name: "t", version: "1" } });
const error = (id: unknown, code: number) => ({ jsonrpc: "2.0", id, error: { code, message: expect.any(String) } });

test("before initialize only a ping is answered; a method that there is not is an error at any time", async () => {
  const to = server();
  expect(await ask(to, call("p", "ping"))).toEqual({ jsonrpc: "2.0", id: "p", result: {} });
  expect(await ask(to, call(2, "tools/list"))).toEqual(error(2, -32600));
  expect(await ask(to, call(3, "server/discover", {}))).toEqual(error(3, -32601));
  await ask(to, initialize());
  expect(await ask(to, call(4, "resources/list"))).toEqual(error(4, -32601));
  expect(await ask(to, initialize())).toEqual(error(1, -32600));
});

const versions: readonly (readonly [string, string])[] = [
  ...PROTOCOL_VERSIONS.map((version) => [version, version] as const),
  ["2099-01-01", "2025-11-25"],
];

test.each(versions)("asked for protocol %s it answers %s", async (asked, answered) => {
  expect(await ask(server(), initialize(asked))).toMatchObject({
    id: 1,
    result: { protocolVersion: answered, capabilities: { tools: {} }, serverInfo: { name: "skein", version: "1" } },
  });
});

test("what is no request has no answer, and what is no message an error", async () => {
  const to = server();
  await ask(to, initialize());
  expect(await ask(to, { jsonrpc: "2.0", method: "notifications/initialized" })).toBe(null);
  expect(await ask(to, { jsonrpc: "2.0", id: 9, result: {} })).toBe(null);
  expect(await ask(to, "")).toBe(null);
  for (const [line, answer] of [
    ["{", error(null, -32700)],
    ["7", error(null, -32600)],
    ["[]", error(null, -32600)],
    ['{"id":1,"method":"ping"}', error(1, -32600)],
    ['{"jsonrpc":"2.0","id":null,"method":"ping"}', error(null, -32600)],
    ['{"jsonrpc":"2.0","id":1.5,"method":"ping"}', error(null, -32600)],
    ['{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}', error(1, -32600)],
    ['{"jsonrpc":"2.0","id":1}', error(1, -32600)],
  ] as const)
    expect([line, await ask(to, line)]).toEqual([line, answer]);
});

test("tools are called by name; what is wrong with a call is told, and the server goes on", async () => {
  const to = server();
  await ask(to, initialize());
  expect(await ask(to, call(1, "tools/list"))).toMatchObject({
    result: { tools: [{ name: "echo", annotations: { destructiveHint: false } }] },
  });
  const run = (args: unknown, name = "echo") => ask(to, call(2, "tools/call", { name, arguments: args }));
  expect(await run({ text: "hi" })).toEqual({
    jsonrpc: "2.0",
    id: 2,
    result: { content: [{ type: "text", text: "hi" }], isError: false },
  });
  expect(await run(undefined)).toMatchObject({ result: { isError: true } });
  expect(await run([])).toEqual(error(2, -32602));
  expect(await run({}, "nothing")).toEqual(error(2, -32602));
  expect(await run({ text: "broken" })).toEqual(error(2, -32603));
  expect(await run({ text: "still here" })).toMatchObject({ result: { isError: false } });
});

test("messages in a list are answered in the one version that has them", async () => {
  const [old, newer] = [server(), server()];
  await ask(old, initialize("2025-03-26"));
  await ask(newer, initialize());
  const batch = [call(1, "ping"), { jsonrpc: "2.0", method: "notifications/cancelled" }, call(2, "nothing")];
  expect(await ask(old, batch)).toEqual([{ jsonrpc: "2.0", id: 1, result: {} }, error(2, -32601)]);
  expect(await ask(old, [{ jsonrpc: "2.0", method: "x" }])).toBe(null);
  expect(await ask(newer, batch)).toEqual(error(null, -32600));
});

test("lines are cut at their ends, wherever the chunks are, and one that is too long is passed over", () => {
  const whole = Buffer.from("one\ntwö\n\ntoo long a line\nlast\nrest");
  for (let size = 1; size < whole.length; size++) {
    const lines = new Lines(10);
    const found = [];
    for (let at = 0; at < whole.length; at += size) found.push(...lines.push(whole.subarray(at, at + size)));
    expect([size, found.map((line) => (line.kind === "line" ? line.text : line.kind))]).toEqual([
      size,
      ["one", "twö", "", "too-long", "last"],
    ]);
  }
});
