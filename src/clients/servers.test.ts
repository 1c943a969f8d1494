// Our MCP server in clients' settings: put in and taken out again byte for byte, whatever form the file has.

import { expect, test } from "vitest";
import { unwrap } from "../base/result.ts";
import { tomlServerForm } from "./codex/server.ts";
import { claudeForm, setStrictAllowRule, typedServerForm } from "./hooks-file/json-form.ts";
import { isOurServer, projectServer, userServer } from "./launcher-command.ts";

const server = userServer("/home/me/.local/share/skein/skein-hook");
const entry = { type: "stdio", ...server };

test.each([
  "{}",
  "{}\n",
  "{ }",
  '{"a":1}',
  '{"mcpServers":{}}',
  '{\n  "mcpServers": {}\n}\n',
  '{\n  "mcpServers": {\n  }\n}\n',
  '{\r\n\t"mcpServers" : { "other": {"command":"x"} },\r\n\t"b": [ ]}',
  '\ufeff{"b":{"mcpServers":{"skein":1}}}',
])("P26 %j has the server once, and its bytes again", (text) => {
  const put = unwrap(typedServerForm.set(text, server), "set");
  const before = JSON.parse(text.replace("\ufeff", ""));
  const after = { ...before, mcpServers: { ...before.mcpServers, skein: entry } };
  expect(JSON.parse(put.replace("\ufeff", ""))).toEqual(after);
  expect(unwrap(typedServerForm.set(put, server), "again")).toBe(put);
  expect([unwrap(typedServerForm.has(text), "has"), unwrap(typedServerForm.has(put), "has")]).toEqual([false, true]);
  expect(unwrap(typedServerForm.remove(put), "remove")).toBe(text);
  // Another place of the launcher takes the entry's place.
  const moved = unwrap(typedServerForm.set(put, userServer("/opt/skein/skein-hook")), "moved");
  expect(unwrap(typedServerForm.remove(moved), "remove")).toBe(text);
});

test.each([
  "{}\n",
  '{"a":1}',
  '{"permissions":{}}',
  '{\n  "permissions": {\n    "deny": ["Bash"],\n    "allow": []\n  }\n}',
  '{"permissions":{"allow":["Read"]}}',
])("P26 %j has the rule once, and its bytes again", (text) => {
  const put = unwrap(setStrictAllowRule(text), "set");
  const { permissions: before } = { permissions: {}, ...JSON.parse(text) };
  expect(JSON.parse(put).permissions).toEqual({ ...before, allow: [...(before.allow ?? []), "mcp__skein__*"] });
  expect(unwrap(setStrictAllowRule(put), "again")).toBe(put);
  expect(unwrap(claudeForm.remove(put), "remove")).toBe(text);
});

test("P27 what is somebody else's, or in a form that is not the client's, is refused and stays", () => {
  for (const text of [
    '{"mcpServers":{"skein":{"command":"mine"}}}',
    '{"mcpServers":[]}',
    "{",
    '{"mcpServers":{},"mcpServers":{}}',
  ])
    expect([text, typedServerForm.set(text, server).ok]).toEqual([text, false]);
  for (const text of [
    '[mcp_servers.skein]\ncommand = "mine"\n',
    "mcp_servers = { other = { command = 'x' } }\n",
    "a =",
  ])
    expect([text, tomlServerForm.set(text, server).ok]).toEqual([text, false]);
  expect(unwrap(typedServerForm.remove('{"mcpServers":{"skein":{"command":"mine"}}}'), "remove")).toContain("mine");
  expect(setStrictAllowRule('{"permissions":{"allow":"Read"}}').ok).toBe(false);
});

test.each([
  "",
  "# only words",
  'model = "x"\n',
  'model = "x"\r\n[features]\r\na = true\r\n',
  "[mcp_servers.other]\ncommand = 'x'",
])("P26 in TOML %j has the server once, and its bytes again", (text) => {
  const put = unwrap(tomlServerForm.set(text, server), "set");
  expect(put.startsWith(text)).toBe(true);
  expect(unwrap(tomlServerForm.set(put, server), "again")).toBe(put);
  expect(unwrap(tomlServerForm.remove(put), "remove")).toBe(text);
});

test("ours is told by what it starts", () => {
  expect([server, projectServer(), { ...server, env: {} }].map(isOurServer)).toEqual([true, true, true]);
  const others = [
    { command: "/x/skein/skein-hook", args: ["codex"] },
    { command: "skein-hook", args: ["mcp"] },
    { url: "x" },
    [],
  ];
  expect(others.map(isOurServer)).toEqual([false, false, false, false]);
});
