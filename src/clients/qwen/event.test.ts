// Payloads as Qwen Code 0.24.4 sends them, cut down to what stands for something.

import { expect, test } from "vitest";
import type { ClientAction } from "../../sessions/client-event.ts";
import { claudeCode } from "../claude-code/client.ts";
import { qwen } from "./client.ts";

const base = {
  session_id: "s-1",
  transcript_path: "/home/u/.qwen/projects/-repo/chats/s-1.jsonl",
  cwd: "/repo",
  timestamp: "2026-11-29T20:12:20.172Z",
  permission_mode: "yolo",
};

function event(payload: object) {
  const result = qwen.toEvent({ payload, env: { CLAUDE_PID: "23", COPILOT_CLI: "1" }, cwd: "/hook" });
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}

function action(hook_event_name: string, more: object = {}): ClientAction | undefined {
  return event({ ...base, hook_event_name, ...more })?.action;
}

test("P12 a session's start, whole: nothing of the agent that started it", () => {
  expect(event({ ...base, hook_event_name: "SessionStart", source: "startup", model: "fake-model" })).toEqual({
    client: "qwen",
    session: "s-1",
    agent: null,
    cwd: "/repo",
    action: { kind: "session-started", source: "startup" },
    native: "SessionStart",
    takesContext: true,
    transcript: base.transcript_path,
    agentPid: null,
    sharedProcess: false,
  });
});

test("P20 a prompt comes again, empty, after each batch of results: it is not the person's", () => {
  expect([
    action("UserPromptSubmit", { prompt: "please write", submitted_prompt: "please write" }),
    action("UserPromptSubmit", { prompt: "" }),
    action("UserPromptSubmit", { prompt: "SUB-A look", agent_id: "general-purpose-8" }),
  ]).toEqual([
    { kind: "prompt", text: "please write", byPerson: true },
    { kind: "prompt", text: "", byPerson: false },
    { kind: "prompt", text: "SUB-A look", byPerson: false },
  ]);
});

test("tools: edits, and commands by their id", () => {
  const tool = (tool_name: string, tool_input: object) => ({ tool_name, tool_input, tool_use_id: "t_dlt6if6nz" });
  const write = tool("write_file", { file_path: "/repo/hello.txt", content: "hi\n" });
  const edit = tool("edit", { file_path: "/repo/hello.txt", old_string: "hi", new_string: "bye" });
  const bash = tool("run_shell_command", { command: "sed -i s/a/b/ x", is_background: false });
  const background = tool("run_shell_command", { command: "make", is_background: true });
  expect([
    action("PostToolUse", write),
    action("PostToolUse", edit),
    action("PostToolUseFailure", { ...edit, error: "no such text" }),
    action("PreToolUse", edit),
    action("PreToolUse", bash),
    action("PostToolUse", bash),
    action("PostToolUseFailure", bash),
    action("PostToolUse", background),
    action("PostToolUse", tool("read_file", { file_path: "/repo/README.md" })),
  ]).toEqual([
    { kind: "files-edited", paths: ["/repo/hello.txt"] },
    { kind: "files-edited", paths: ["/repo/hello.txt"] },
    { kind: "seen" },
    { kind: "seen" },
    { kind: "shell-started", call: "t_dlt6if6nz" },
    { kind: "shell-ended", call: "t_dlt6if6nz", failed: false },
    { kind: "shell-ended", call: "t_dlt6if6nz", failed: true },
    { kind: "seen" },
    { kind: "seen" },
  ]);
});

test("P17 a turn that ends while subagents or schedules go on", () => {
  const running = { id: "general-purpose-8", status: "running", agent_type: "general-purpose" };
  expect([
    action("Stop", { stop_hook_active: false, background_tasks: [], crons: [] }),
    action("Stop", { background_tasks: [running, running], crons: [{}] }),
    action("StopFailure", { error: "rate_limit" }),
  ]).toEqual([0, 3, null].map((background) => ({ kind: "turn-ended", background })));
});

test("P14 a subagent's events carry its id beside the session's", () => {
  const sub = { agent_id: "general-purpose-8", agent_type: "general-purpose" };
  const write = { tool_name: "write_file", tool_input: { file_path: "/repo/x" }, tool_use_id: "t" };
  const seen = [
    event({ ...base, ...sub, hook_event_name: "SubagentStart" }),
    event({ ...base, agent_id: sub.agent_id, ...write, hook_event_name: "PostToolUse" }),
    event({ ...base, ...sub, hook_event_name: "SubagentStop", background_tasks: [sub] }),
  ];
  expect(seen.map((one) => [one?.session, one?.agent, one?.action])).toEqual([
    ["s-1", "general-purpose-8", { kind: "subagent-started", agentType: "general-purpose" }],
    ["s-1", "general-purpose-8", { kind: "files-edited", paths: ["/repo/x"] }],
    ["s-1", "general-purpose-8", { kind: "subagent-ended" }],
  ]);
});

test("P19 what waits for a person, and what does not", () => {
  expect([
    action("PermissionRequest", { tool_name: "write_file", tool_input: {} }),
    action("PermissionRequest", { tool_name: "ask_user_question" }),
    action("Notification", { notification_type: "permission_prompt" }),
    action("Notification", { notification_type: "idle_prompt" }),
    action("Notification", { notification_type: "auth_success", message: "Successfully authenticated with openai" }),
    action("SessionEnd", { reason: "prompt_input_exit" }),
    action("InstructionsLoaded"),
    action("PostToolBatch"),
  ]).toEqual([
    { kind: "waiting", reason: "permission: write_file" },
    { kind: "waiting", reason: "a question" },
    { kind: "waiting", reason: "permission" },
    { kind: "waiting", reason: "idle" },
    { kind: "seen" },
    { kind: "session-ended", reason: "prompt_input_exit" },
    undefined,
    undefined,
  ]);
});

test("context where Qwen takes it: before a tool and at a subagent's start it is dropped", () => {
  const names = ["SessionStart", "UserPromptSubmit", "PostToolUse", "PreToolUse", "SubagentStart", "Stop"];
  const outputs = names.map((hook_event_name) => {
    const seen = event({ ...base, hook_event_name });
    return seen === null ? null : qwen.toOutput(seen, "who");
  });
  const form = (name: string) => `{"hookSpecificOutput":{"hookEventName":"${name}","additionalContext":"who"}}`;
  expect(outputs).toEqual([...names.slice(0, 3).map(form), null, null, null]);
});

test("P34 Claude Code's hooks, copied into Qwen's settings: it is Qwen that is recorded", () => {
  const payload = { ...base, hook_event_name: "SessionStart", source: "startup" };
  const call = { payload, cwd: "/hook" };
  const own = claudeCode.toEvent({ ...call, env: { QWEN_CODE_SESSION_ID: "s-1" } });
  const child = claudeCode.toEvent({ ...call, env: { QWEN_CODE_SESSION_ID: "s-0" } });
  expect([own, child].map((one) => one.ok && one.value?.client)).toEqual(["qwen", "claude-code"]);
});

test("payloads that are none", () => {
  const payloads = [null, "x", {}, { hook_event_name: "Stop" }, { session_id: "s" }];
  expect(payloads.map((payload) => qwen.toEvent({ payload, env: {}, cwd: "/" }).ok)).toEqual(payloads.map(() => false));
});
