// The plugin as opencode calls it, with what 1.18.33 was seen to send (ids and paths replaced), and what our hook makes of what it is told.

import { expect, test } from "vitest";
import { pluginRig } from "../../testing/sessions/plugin-rig.ts";
import { toEvent } from "./event.ts";
import { pluginText } from "./plugin-text.ts";

type Hook = (input: object, output?: object) => Promise<void>;

async function start() {
  const rig = pluginRig("skein.mjs", pluginText);
  const { SkeinPresence } = (await rig.load()) as {
    readonly SkeinPresence: (input: object) => Promise<Readonly<Record<string, Hook>>>;
  };
  const hooks = await SkeinPresence({ directory: rig.directory, worktree: rig.directory });
  const call = (name: string, input: object, output: object = {}) =>
    hooks[name]?.(input, output) ?? Promise.reject(name);
  const event = (type: string, properties: object) => call("event", { event: { id: "e", type, properties } });
  const created = (id: string, more: object = {}) =>
    event("session.created", { sessionID: id, info: { id, slug: "kind-moon", version: "1.18.33", ...more } });
  const status = (sessionID: string, type: string) => event("session.status", { sessionID, status: { type } });
  const prompt = (sessionID: string, text: string) =>
    call("chat.message", { sessionID }, { message: { role: "user" }, parts: [{ type: "text", text }] });
  /** The system prompt of a request: all that was told is known by then. */
  const system = async (sessionID: string, head = "You are opencode") => {
    const output = { system: [head] };
    await call("experimental.chat.system.transform", { sessionID }, output);
    return output.system.slice(1);
  };
  const actions = () =>
    rig.told().map((payload) => {
      const read = toEvent({ payload, env: {}, cwd: "/elsewhere" });
      if (!read.ok || read.value === null) return read;
      const { session, agent, action } = read.value;
      return [agent === null ? session : `${session}+${agent}`, action];
    });
  return { rig, call, event, created, status, prompt, system, actions, [Symbol.dispose]: rig[Symbol.dispose] };
}

test("a turn with an edit, a patch and shell commands, one of which is not allowed", async () => {
  using plugin = await start();
  const { call, event, created, status, prompt, system, actions } = plugin;
  await created("ses_1");
  await prompt("ses_1", '"MAIN-PROMPT please write the file"');
  await status("ses_1", "busy");
  await call(
    "tool.execute.after",
    { tool: "write", sessionID: "ses_1", callID: "c1", args: { filePath: "/r/hello.txt", content: "hi\n" } },
    { title: "hello.txt", output: "Wrote file successfully." },
  );
  const patchText =
    "*** Begin Patch\n*** Update File: a.ts\n*** Move to: b.ts\n@@\n-x\n+*** Add File: no\n*** End Patch";
  await call("tool.execute.after", { tool: "apply_patch", sessionID: "ses_1", callID: "c2", args: { patchText } });
  await call("tool.execute.after", { tool: "read", sessionID: "ses_1", callID: "c3", args: { filePath: "/r/x" } });
  await call("tool.execute.before", { tool: "bash", sessionID: "ses_1", callID: "c4" }, { args: { command: "make" } });
  const ask = { id: "p", sessionID: "ses_1", permission: "bash", patterns: ["make"], metadata: {}, always: [] };
  await event("permission.asked", ask);
  await event("permission.replied", { sessionID: "ses_1", requestID: "p", reply: "reject" });
  const part = { type: "tool", tool: "bash", callID: "c4", sessionID: "ses_1", state: { status: "error" } };
  await event("message.part.updated", { sessionID: "ses_1", part });
  await event("message.part.updated", { sessionID: "ses_1", part });
  await event("question.asked", { id: "q", sessionID: "ses_1", questions: [] });
  await event("question.replied", { sessionID: "ses_1", requestID: "q", answers: [] });
  await status("ses_1", "idle");
  await event("session.idle", { sessionID: "ses_1" });
  await system("ses_1");
  expect(actions()).toEqual([
    ["ses_1", { kind: "session-started", source: "startup" }],
    ["ses_1", { kind: "prompt", text: "MAIN-PROMPT please write the file", byPerson: true }],
    ["ses_1", { kind: "files-edited", paths: ["/r/hello.txt"] }],
    ["ses_1", { kind: "files-edited", paths: ["a.ts", "b.ts"] }],
    ["ses_1", { kind: "shell-started", call: "c4" }],
    ["ses_1", { kind: "waiting", reason: "permission: bash" }],
    ["ses_1", { kind: "seen" }],
    ["ses_1", { kind: "shell-ended", call: "c4", failed: true }],
    ["ses_1", { kind: "waiting", reason: "a question" }],
    ["ses_1", { kind: "seen" }],
    ["ses_1", { kind: "turn-ended", background: 0 }],
  ]);
  expect(toEvent({ payload: plugin.rig.told()[0], env: {}, cwd: "/elsewhere" })).toEqual({
    ok: true,
    value: {
      client: "opencode",
      session: "ses_1",
      agent: null,
      cwd: plugin.rig.directory,
      action: { kind: "session-started", source: "startup" },
      native: "session.start",
      takesContext: true,
      transcript: null,
      agentPid: process.pid,
      tellsOwnPid: true,
      sharedProcess: true,
    },
  });
});

test("P14 P15 a child session is its parent's subagent, also a child's child; its end is not the parent's", async () => {
  using plugin = await start();
  const { call, created, status, prompt, system, actions } = plugin;
  await created("ses_1");
  await created("ses_2", { parentID: "ses_1", agent: "general" });
  await created("ses_3", { parentID: "ses_2" });
  await prompt("ses_2", "look");
  await call("tool.execute.after", { tool: "edit", sessionID: "ses_3", callID: "c", args: { filePath: "/r/a" } });
  await status("ses_2", "idle");
  for (const id of ["ses_1", "ses_2", "ses_3"]) await system(id);
  const output = { env: { FROM: "another plugin" } };
  await call("shell.env", { cwd: "/r", sessionID: "ses_3", callID: "c" }, output);
  expect(output.env).toEqual({ FROM: "another plugin", SKEIN_SESSION: "ses_1" });
  // Our server's tools are told whose session calls; others' arguments are theirs.
  const args = async (tool: string, sessionID: string, given: object) => {
    await call("tool.execute.before", { tool, sessionID, callID: "m" }, { args: given });
    return given;
  };
  expect([
    await args("skein_note", "ses_1", { text: "x" }),
    await args("skein_note", "ses_3", { text: "x" }),
    await args("skein_note", "ses_3", { text: "x", subagent: "ses_2" }),
    await args("other_note", "ses_1", { text: "x" }),
  ]).toEqual([
    { text: "x", session: "ses_1" },
    { text: "x", session: "ses_1", subagent: "ses_3" },
    { text: "x", session: "ses_1", subagent: "ses_2" },
    { text: "x" },
  ]);
  const of = (id: string) => actions().filter((one) => Array.isArray(one) && one[0] === id);
  expect([of("ses_1"), of("ses_1+ses_2"), of("ses_1+ses_3")]).toEqual([
    [["ses_1", { kind: "session-started", source: "startup" }]],
    [
      ["ses_1+ses_2", { kind: "subagent-started", agentType: "general" }],
      ["ses_1+ses_2", { kind: "prompt", text: "look", byPerson: false }],
      ["ses_1+ses_2", { kind: "subagent-ended" }],
    ],
    [
      ["ses_1+ses_3", { kind: "subagent-started", agentType: null }],
      ["ses_1+ses_3", { kind: "files-edited", paths: ["/r/a"] }],
    ],
  ]);
});

test("P11 P13 a session that goes on in another process, after a compaction, and when it is deleted", async () => {
  using plugin = await start();
  const { call, event, status, prompt, system, actions } = plugin;
  await prompt("ses_1", "go on");
  await call("experimental.session.compacting", { sessionID: "ses_1" }, { context: [] });
  await event("session.compacted", { sessionID: "ses_1" });
  await status("ses_1", "idle");
  await event("session.deleted", { sessionID: "ses_1", info: { id: "ses_1" } });
  await event("session.deleted", { sessionID: "ses_9", info: { id: "ses_9" } });
  await system("ses_1");
  expect(actions()).toEqual([
    ["ses_1", { kind: "session-started", source: "resume" }],
    ["ses_1", { kind: "prompt", text: "go on", byPerson: true }],
    ["ses_1", { kind: "compacting" }],
    ["ses_1", { kind: "session-started", source: "compact" }],
    ["ses_1", { kind: "turn-ended", background: 0 }],
    ["ses_1", { kind: "session-ended", reason: "deleted" }],
  ]);
});

test("P18 an interrupt, and a turn that goes on by itself", async () => {
  using plugin = await start();
  const { event, created, status, prompt, system, actions } = plugin;
  await created("ses_1");
  await prompt("ses_1", "think");
  await event("session.error", { sessionID: "ses_1", error: { name: "MessageAbortedError", data: { message: "" } } });
  await status("ses_1", "idle");
  await status("ses_1", "busy");
  await status("ses_1", "retry");
  await status("ses_1", "idle");
  await system("ses_1");
  expect(actions().slice(2)).toEqual([
    ["ses_1", { kind: "interrupted" }],
    ["ses_1", { kind: "seen" }],
    ["ses_1", { kind: "turn-ended", background: 0 }],
  ]);
});

test("the start block and later notices are in the system prompt of that session's requests, not in the title's", async () => {
  using plugin = await start();
  const { rig, call, created, system } = plugin;
  rig.say("the block");
  await created("ses_1");
  const first = await system("ses_1");
  rig.say("a notice");
  await call("tool.execute.after", { tool: "edit", sessionID: "ses_1", callID: "c", args: { filePath: "/r/a" } });
  rig.say(null);
  expect([first, await system("ses_1"), await system("ses_2")]).toEqual([["the block"], ["the block\na notice"], []]);
  expect(await system("ses_1", "You are a title generator. You output ONLY a thread title.")).toEqual([]);
});

test("P30 whatever opencode sends, and whatever the hook is, nothing is thrown", async () => {
  using rig = pluginRig("skein.mjs", (command) => pluginText(command).replace('"/bin/sh"', '"/no/such/shell"'));
  const { SkeinPresence } = (await rig.load()) as {
    readonly SkeinPresence: (input: object) => Promise<Readonly<Record<string, Hook>>>;
  };
  const hooks = await SkeinPresence({ directory: rig.directory });
  const odd: readonly (object | undefined)[] = [undefined, {}, { event: null }, { event: { type: "session.idle" } }];
  for (const hook of Object.values(hooks)) for (const input of odd) await hook(input as object, undefined);
  const output = { system: ["You are opencode"] };
  await hooks["chat.message"]?.({ sessionID: "s" }, { parts: [null] });
  await hooks["chat.message"]?.({ sessionID: "s" }, { parts: [{ type: "text", text: "hello" }] });
  await hooks["experimental.chat.system.transform"]?.({ sessionID: "s" }, output);
  expect([output.system, rig.told()]).toEqual([["You are opencode"], []]);
});

test("a payload that is not our plugin's is refused by name", () => {
  const read = (payload: unknown) => toEvent({ payload, env: {}, cwd: "/r" });
  const message = (payload: unknown) => {
    const result = read(payload);
    return result.ok ? result.value : result.error.message;
  };
  expect([[], {}, { event: "session.idle" }, { event: "lsp.updated", session: "s" }].map(message)).toEqual([
    "expected an object",
    "event: expected a text",
    "session: expected a text of at most 200 characters",
    null,
  ]);
});
