// The MCP server as clients start it, asked by the protocol's own client. The agent of these sessions is this test's process: hooks and the server
// are its children.

import { execFileSync } from "node:child_process";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { expect } from "vitest";
import { hookProgram } from "../support/hooked-agents.ts";
import { bundle, lastJson, skein } from "../support/skein.ts";
import { type Small, smallTest as test } from "../support/small-repository.ts";

async function connected({ box, repository }: Small) {
  const client = new Client({ name: "test", version: "1" });
  const program = { command: process.execPath, args: [bundle, "mcp"], cwd: repository, env: { ...box.env } };
  await client.connect(new StdioClientTransport(program));
  const call = async (name: string, args: Record<string, unknown> = {}) => {
    const result = await client.callTool({ name, arguments: args });
    const [part] = result.content as readonly { readonly text: string }[];
    return { failed: result.isError === true, text: part?.text ?? "" };
  };
  return { client, call, [Symbol.asyncDispose]: () => client.close() };
}

/** One event of this process's session; answers what its agent is told. */
function fire({ box, repository }: Small, event: string, fields: object = {}): string {
  const payload = {
    session_id: "0123abcd",
    cwd: repository,
    hook_event_name: event,
    transcript_path: "/t.jsonl",
    ...fields,
  };
  const printed = execFileSync(process.execPath, [hookProgram, "claude-code"], {
    env: box.env,
    input: JSON.stringify(payload),
    encoding: "utf8",
  });
  return printed === "" ? "" : JSON.parse(printed).hookSpecificOutput.additionalContext;
}

test("the protocol's own client: notes, the branch's task, intent and who, for the session that its hooks recorded", async ({
  small,
}) => {
  small.make();
  const { box, repository } = small;
  await using server = await connected(small);
  const { tools } = await server.client.listTools();
  expect(tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint, annotations?.destructiveHint])).toEqual(
    [
      ["who", true, false],
      ["note", false, false],
      ["read_memory", true, false],
      ["set_intent", false, false],
      ["current_task", false, false],
    ],
  );
  expect(await server.call("note", { text: "too early" })).toEqual({
    failed: true,
    text: expect.stringMatching(/not known to Skein.*skein doctor/),
  });
  fire(small, "SessionStart", { source: "startup" });
  fire(small, "SubagentStart", { agent_id: "child-1", agent_type: "general" });

  const noted = await server.call("note", { kind: "question", text: "May tabs go?" });
  const id = /as question ([0-9a-f]{8})\.$/.exec(noted.text)?.[1];
  expect([noted.failed, id]).toEqual([false, expect.any(String)]);
  expect(await server.call("note", { text: "Found in passing", subagent: "child-1" })).toMatchObject({ failed: false });
  expect(await server.call("note", { text: "?", subagent: "nobody" })).toEqual({
    failed: true,
    text: expect.stringMatching(/no subagent "nobody".*child-1/),
  });
  expect(await server.call("note", { kind: "poem", text: "x" })).toMatchObject({ failed: true });
  expect(await server.call("note", { text: "x".repeat(4_001) })).toMatchObject({ failed: true });
  expect((await server.call("read_memory")).text).toMatch(
    new RegExp(`## Open questions.*\\n\\n- .*, claude-code 0123abcd, open question ${id}:\\n {2}> May tabs go\\?`),
  );
  expect((await server.call("read_memory", { query: "PASSING" })).text).toMatch(
    /claude-code 0123abcd\+child-1, note, on branch/,
  );
  expect(await server.call("current_task")).toMatchObject({ text: expect.stringMatching(/^No task was written/) });
  await server.call("current_task", { text: "Move the parser\nthen the tests" });
  expect((await server.call("current_task")).text).toMatch(
    /by claude-code 0123abcd:\n> Move the parser\n> then the tests$/,
  );
  expect(await server.call("set_intent", { text: "Move the parser" })).toMatchObject({ failed: false });
  expect(await server.call("who")).toEqual({
    failed: false,
    text: "No other agent session is recorded in this repository.",
  });
  await expect(server.client.callTool({ name: "nothing" })).rejects.toMatchObject({ code: -32602 });

  const show = lastJson(await skein(box, { args: ["memory", "show", "--json"], cwd: repository }));
  expect(show).toMatchObject({
    task: { who: "claude-code 0123abcd", text: "Move the parser\nthen the tests" },
    notes: expect.arrayContaining([expect.objectContaining({ question: id, open: true, text: "May tabs go?" })]),
  });
  const said = fire(small, "SessionStart", { source: "compact" });
  expect(said).toMatch(
    /current task of branch \S+ in \S+: \S+ \S+ UTC, claude-code 0123abcd: "Move the parser then the tests"/,
  );
  expect(said).toMatch(/\(2 notes of 2 sessions, 1 open question\)/);
});

test("skein memory: a note by hand, search on both ways in, and a prune that says first what it removes", async ({
  small,
}) => {
  small.make();
  const { box, repository } = small;
  fire(small, "SessionStart", { source: "startup" });
  const run = (...args: readonly string[]) => skein(box, { args: ["memory", ...args], cwd: repository });
  const noted = await run("note", "--kind", "decision", "Comments are tokens", "--json");
  expect([noted.exitCode, lastJson(noted)]).toMatchObject([0, { question: null }]);
  expect(await run("note", "")).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("The note is empty") });
  const [short, whole] = [await run("search", "tokens"), await run("search", "tokens", "--repo", ".")];
  expect([short.exitCode, short.stdout]).toEqual([0, whole.stdout]);
  expect(short.stdout).toMatch(
    /, claude-code 0123abcd, decision on branch \S+\n {2}> Comments are tokens\n {2}\/.*decisions\.md\n$/,
  );
  expect((await run("search", "tokens", "nowhere")).stdout).toBe("no note holds all these words\n");
  // It lives: its notes stay, however old.
  expect((await run("prune", "--older-than", "0", "--yes")).stdout).toBe("nothing was removed\n");
  fire(small, "SessionEnd", { reason: "other" });
  expect((await run("show")).stdout).toContain("> Comments are tokens");
});
