// Our MCP server in clients' settings: put in and taken out again byte for byte, whatever form the file has.

import { expect, test } from "vitest";
import { unwrap } from "../base/result.ts";
import { CLIENT_SETTINGS } from "./all-settings.ts";
import { tomlServerForm } from "./codex/server.ts";
import { claudeForm, setStrictAllowRule, typedServerForm } from "./hooks-file/json-form.ts";
import { isOurServer, projectServer, userCommand, userServer } from "./launcher-command.ts";
import { opencodeServerForm } from "./opencode/server.ts";

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
  const list = { command: [server.command, ...server.args] };
  const ours = [server, projectServer(), { ...server, env: {} }, list];
  expect(ours.map(isOurServer)).toEqual([true, true, true, true]);
  const others = [
    { command: "/x/skein/skein-hook", args: ["codex"] },
    { command: "skein-hook", args: ["mcp"] },
    { url: "x" },
    { command: [server.command, "mcp", "more"] },
    { command: [] },
    [],
  ];
  expect(others.map(isOurServer)).toEqual([false, false, false, false, false, false]);
});

/** As its documents have an entry; the launcher's path stands in for any. */
const launcher = "/home/me/.local/share/skein/skein-hook";
const people = [
  "{}",
  "{}\n",
  '{\n  // mine\n  "theme": "dark", // always\n  "mcpServers": {}\n}\n',
  '{\r\n\t"hooks": {},\r\n\t"mcpServers" : { "other": {"command":"x"} } /* last */\r\n}',
  '\ufeff{"tools":{"allowed":["x"]},"mcpServers":{"other":{"httpUrl":"x","trust":true}}}',
];

test.each((["gemini", "qwen"] as const).flatMap((client) => people.map((text) => [client, text] as const)))(
  "P26 %s: hooks and trusted server in the one file %j, and its bytes again",
  (client, text) => {
    const { files, plan, mcp } = CLIENT_SETTINGS[client];
    const { entries } = plan(null, userCommand(launcher, client));
    const hooked = unwrap(files[0].form.set(text, entries), "hooks");
    const put = unwrap(mcp!.form.set(hooked, server), "server");
    const bare = (one: string): string => one.replace(/^\ufeff/, "").replace(/\/\/.*|\/\*.*?\*\//g, "");
    expect(JSON.parse(bare(put)).mcpServers).toEqual({
      ...JSON.parse(bare(text)).mcpServers,
      skein: { command: launcher, args: ["mcp"], trust: true },
    });
    expect([unwrap(mcp!.form.set(put, server), "again"), unwrap(mcp!.form.has(put), "has")]).toEqual([put, true]);
    expect(files[0].form.find(put)).toEqual({ ok: true, value: expect.arrayContaining([...entries]) });
    expect(unwrap(files[0].form.remove(put), "remove")).toBe(text);
    // One that its person no longer trusts is ours all the same.
    const trust = put.lastIndexOf("true");
    const distrusted = `${put.slice(0, trust)}false${put.slice(trust + "true".length)}`;
    expect(unwrap(files[0].form.remove(distrusted), "remove")).toBe(text);
  },
);

test("P26 Copilot CLI: a server whose tools are all to be seen, and the bytes again", () => {
  const { form } = CLIENT_SETTINGS.copilot.mcp!;
  const text = '{\n  "mcpServers": {\n    "other": { "type": "http", "url": "http://localhost:1" }\n  }\n}\n';
  const put = unwrap(form.set(text, server), "set");
  expect(JSON.parse(put).mcpServers.skein).toEqual({ type: "local", command: launcher, args: ["mcp"], tools: ["*"] });
  expect(unwrap(form.remove(put), "remove")).toBe(text);
});

const opencodeEntry = { type: "local", command: [launcher, "mcp"], enabled: true };

test.each([
  ["{}", { "skein_*": "allow" }],
  ['{\n  "$schema": "https://opencode.ai/config.json"\n}\n', { "skein_*": "allow" }],
  ['{"mcp":{},"permission":{}}', { "skein_*": "allow" }],
  [
    '{\r\n\t"permission": {\r\n\t\t"*": "ask"\r\n\t},\r\n\t"mcp": {"x": {"type":"remote","url":"u"}}\r\n}',
    { "*": "ask", "skein_*": "allow" },
  ],
  // What its person has said of all tools, or of these, stays.
  ['{"permission":"ask"}', "ask"],
  ['{"permission":{"skein_*":"deny","bash":"ask"}}', { "skein_*": "deny", bash: "ask" }],
])("P26 opencode: the server and its rule, the last of all, in %j, and the bytes again", (text, permission) => {
  const put = unwrap(opencodeServerForm.set(text, server), "set");
  const before = JSON.parse(text);
  expect(JSON.parse(put)).toEqual({ ...before, permission, mcp: { ...before.mcp, skein: opencodeEntry } });
  expect(Object.keys(JSON.parse(put).permission)).toEqual(Object.keys(permission));
  expect([unwrap(opencodeServerForm.set(put, server), "again"), unwrap(opencodeServerForm.has(put), "has")]).toEqual([
    put,
    true,
  ]);
  expect(opencodeServerForm.others(put)).toEqual(opencodeServerForm.others(text));
  expect(unwrap(opencodeServerForm.remove(put), "remove")).toBe(text);
});

test("P26 opencode: comments and last commas stay; another's server of the name is refused", () => {
  const text =
    '{\n  // mine\n  "mcp": { "x": { "type": "local", "command": ["x"], }, },\n  "permission": { "bash": "ask", /* all */ },\n}\n';
  const put = unwrap(opencodeServerForm.set(text, server), "set");
  expect(unwrap(opencodeServerForm.remove(put), "remove")).toBe(text);
  const foreign = '{"mcp":{"skein":{"type":"local","command":["mine","mcp"]}}}';
  expect([opencodeServerForm.set(foreign, server).ok, unwrap(opencodeServerForm.remove(foreign), "remove")]).toEqual([
    false,
    foreign,
  ]);
});
