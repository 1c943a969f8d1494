// The extension as pi calls it, with what 0.73.1 and 1.6.0 were seen to send (ids and paths replaced), and what our hook makes of it.

import { expect, test } from "vitest";
import { pluginRig } from "../../testing/sessions/plugin-rig.ts";
import { toEvent } from "./event.ts";
import { extensionText } from "./extension-text.ts";

type Handler = (event: object, context: object) => Promise<unknown>;

async function start(entries: readonly object[] = []) {
  const rig = pluginRig("skein.mjs", extensionText);
  const handlers = new Map<string, Handler>();
  const { default: extension } = (await rig.load()) as { readonly default: (pi: object) => void };
  extension({ on: (event: string, handler: Handler) => handlers.set(event, handler) });
  const sessionManager = {
    getSessionId: () => "s-1",
    getSessionFile: () => "/home/u/.pi/agent/sessions/--r--/1_s-1.jsonl",
    getEntries: () => entries,
  };
  const fire = (type: string, more: object = {}) =>
    handlers.get(type)?.({ type, ...more }, { cwd: rig.directory, sessionManager }) ?? Promise.reject(type);
  const actions = () =>
    rig.told().map((payload) => {
      const read = toEvent({ payload, env: {}, cwd: "/elsewhere" });
      return read.ok ? (read.value?.action ?? null) : read;
    });
  return { rig, fire, actions, [Symbol.dispose]: rig[Symbol.dispose] };
}

const write = { toolCallId: "c1", toolName: "write", input: { path: "/r/hello.txt", content: "hi\n" } };
const shell = { toolCallId: "c2", toolName: "bash", input: { command: "echo from-shell" } };
const content = [{ type: "text", text: "from-shell\n" }];

test("a session of one turn, and its end", async () => {
  using pi = await start();
  const { fire, actions } = pi;
  await fire("session_start", { reason: "startup" });
  await fire("before_agent_start", { prompt: "please write the file", systemPrompt: "You are" });
  await fire("agent_start");
  await fire("tool_call", write);
  await fire("tool_call", shell);
  await fire("tool_result", { ...shell, content, isError: false });
  await fire("tool_result", { ...write, content: [], isError: false });
  await fire("tool_result", { toolCallId: "c3", toolName: "edit", input: { path: "x" }, content: [], isError: true });
  await fire("tool_result", { toolCallId: "c4", toolName: "read", input: { path: "y" }, content: [], isError: false });
  await fire("tool_execution_end", { toolCallId: "c2", toolName: "bash", isError: false });
  await fire("agent_end", { messages: [{ role: "assistant", stopReason: "stop" }] });
  await fire("session_shutdown", { reason: "quit" });
  expect(actions()).toEqual([
    { kind: "session-started", source: "startup" },
    { kind: "prompt", text: "please write the file", byPerson: true },
    { kind: "shell-started", call: "c2" },
    { kind: "shell-ended", call: "c2", failed: false },
    { kind: "files-edited", paths: ["/r/hello.txt"] },
    { kind: "seen" },
    { kind: "turn-ended", background: 0 },
    { kind: "session-ended", reason: "quit" },
  ]);
  expect(toEvent({ payload: pi.rig.told()[0], env: {}, cwd: "/elsewhere" })).toEqual({
    ok: true,
    value: {
      client: "pi",
      session: "s-1",
      agent: null,
      cwd: pi.rig.directory,
      action: { kind: "session-started", source: "startup" },
      native: "session_start",
      takesContext: true,
      transcript: "/home/u/.pi/agent/sessions/--r--/1_s-1.jsonl",
      agentPid: process.pid,
      tellsOwnPid: true,
      sharedProcess: false,
    },
  });
});

test("P18 a turn that is stopped: in the old form at its end, in the new one once pi goes on with nothing", async () => {
  using old = await start();
  await old.fire("before_agent_start", { prompt: "think" });
  await old.fire("tool_call", shell);
  await old.fire("tool_execution_end", { ...shell, isError: true });
  await old.fire("agent_end", { messages: [{ role: "assistant", stopReason: "aborted" }] });
  await old.fire("session_shutdown");
  using young = await start();
  await young.fire("before_agent_start", { prompt: "think", messageType: "user" });
  await young.fire("agent_end", { messages: [{ role: "assistant", stopReason: "error" }] });
  await young.fire("agent_start");
  await young.fire("agent_settled", { aborted: true });
  // Something else than a person's prompt.
  await young.fire("agent_start");
  await young.fire("ui_prompt_start", { reason: "ui_prompt" });
  await young.fire("ui_prompt_end");
  await young.fire("agent_settled", { aborted: false });
  await young.fire("session_shutdown", { reason: "new" });
  expect([old.actions(), young.actions()]).toEqual([
    [
      { kind: "prompt", text: "think", byPerson: true },
      { kind: "shell-started", call: "c2" },
      { kind: "shell-ended", call: "c2", failed: true },
      { kind: "interrupted" },
      { kind: "session-ended", reason: "quit" },
    ],
    [
      { kind: "prompt", text: "think", byPerson: true },
      { kind: "interrupted" },
      { kind: "seen" },
      { kind: "waiting", reason: "a question" },
      { kind: "seen" },
      { kind: "turn-ended", background: 0 },
      null,
    ],
  ]);
});

test.each([
  ["startup", true, "resume"],
  ["startup", false, "startup"],
  ["new", false, "clear"],
  ["resume", true, "resume"],
  ["reload", true, "resume"],
  ["fork", true, "fork"],
  ["a later word", false, "other"],
])("P11 a start with the reason %s, resumed: %j, is a %s", (reason, resumed, source) => {
  const payload = { event: "session_start", session: "s", directory: "/r", reason, resumed };
  const read = toEvent({ payload, env: {}, cwd: "/" });
  expect(read.ok && read.value?.action).toEqual({ kind: "session-started", source });
});

test("P11 a session with messages goes on; after a compaction it starts anew", async () => {
  using pi = await start([{ type: "model_change" }, { type: "message" }]);
  await pi.fire("session_start", { reason: "startup" });
  await pi.fire("session_before_compact");
  await pi.fire("session_compact");
  await pi.fire("session_shutdown", { reason: "reload" });
  expect(pi.actions()).toEqual([
    { kind: "session-started", source: "resume" },
    { kind: "compacting" },
    { kind: "session-started", source: "compact" },
    null,
  ]);
});

test("what the hook says goes before the next turn, or to the next result of a tool: once", async () => {
  using pi = await start();
  const { rig, fire } = pi;
  rig.say("the block");
  await fire("session_start", { reason: "startup" });
  const first = await fire("before_agent_start", { prompt: "one" });
  rig.say(null);
  const second = await fire("before_agent_start", { prompt: "two" });
  rig.say("a notice");
  const result = await fire("tool_result", { ...write, content, isError: false });
  expect([first, second, result]).toEqual([
    { message: { customType: "skein-presence", content: "the block\nthe block", display: false } },
    undefined,
    { content: [...content, { type: "text", text: "a notice" }] },
  ]);
});

test("P30 whatever pi sends, nothing is thrown", async () => {
  using pi = await start();
  const events = ["session_start", "before_agent_start", "tool_call", "tool_result", "agent_end", "session_shutdown"];
  const returned = await Promise.all(
    events.map((event) => pi.fire(event, { messages: 7, content: null, input: null })),
  );
  expect(returned).toEqual(events.map(() => undefined));
});

test("a payload that is not our extension's is refused by name", () => {
  const message = (payload: unknown) => {
    const result = toEvent({ payload, env: {}, cwd: "/r" });
    return result.ok ? result.value : result.error.message;
  };
  expect([[], {}, { event: "agent_end" }, { event: "turn_start", session: "s" }].map(message)).toEqual([
    "expected an object",
    "event: expected a text",
    "session: expected a text of at most 200 characters",
    null,
  ]);
});
