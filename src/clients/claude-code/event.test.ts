// Payloads as Claude Code 2.1.332 and Copilot CLI 1.0.102 send them, cut down to what stands for something.

import { expect, test } from "vitest";
import type { ClientAction } from "../../sessions/client-event.ts";
import { claudeCode } from "./client.ts";

const env = { CLAUDE_PID: "23", CLAUDECODE: "1", CLAUDE_PROJECT_DIR: "/repo" };
const base = { session_id: "s-1", transcript_path: "/home/u/.claude/projects/-repo/s-1.jsonl", cwd: "/repo" };

function event(payload: object, more: Readonly<Record<string, string>> = env) {
  const result = claudeCode.toEvent({ payload, env: more, cwd: "/hook" });
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}

function action(hook_event_name: string, more: object = {}): ClientAction | undefined {
  return event({ ...base, hook_event_name, ...more })?.action;
}

test("a session's start, whole", () => {
  expect(event({ ...base, hook_event_name: "SessionStart", source: "startup" })).toEqual({
    client: "claude-code",
    session: "s-1",
    agent: null,
    cwd: "/repo",
    action: { kind: "session-started", source: "startup" },
    native: "SessionStart",
    takesContext: true,
    transcript: "/home/u/.claude/projects/-repo/s-1.jsonl",
    agentPid: 23,
    sharedProcess: false,
  });
});

test("P13 every event names the session by itself", () => {
  const names = [
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "PermissionRequest",
  ];
  const rest = [
    "Notification",
    "Stop",
    "StopFailure",
    "SubagentStart",
    "SubagentStop",
    "CwdChanged",
    "PreCompact",
    "SessionEnd",
  ];
  expect([...names, ...rest].map((name) => event({ ...base, hook_event_name: name })?.session)).toEqual(
    [...names, ...rest].map(() => "s-1"),
  );
});

test("sources of a start", () => {
  const sources = ["resume", "clear", "compact", "fork", "tea", undefined];
  expect(sources.map((source) => action("SessionStart", { source }))).toEqual(
    ["resume", "clear", "compact", "fork", "other", "other"].map((source) => ({ kind: "session-started", source })),
  );
});

test("P20 a prompt that a person did not type", () => {
  const prompts = ["please write", "<task-notification>\n<task-id>a1</task-id>", "  ", undefined];
  expect(prompts.map((prompt) => action("UserPromptSubmit", { prompt }))).toEqual([
    { kind: "prompt", text: "please write", byPerson: true },
    { kind: "prompt", text: "<task-notification>\n<task-id>a1</task-id>", byPerson: false },
    { kind: "prompt", text: "  ", byPerson: false },
    { kind: "prompt", text: "", byPerson: false },
  ]);
});

test("tools: what changes files, and what does not", () => {
  const write = {
    tool_name: "Write",
    tool_input: { file_path: "/repo/hello.txt", content: "hi\n" },
    tool_use_id: "t1",
  };
  const notebook = { tool_name: "NotebookEdit", tool_input: { notebook_path: "/repo/a.ipynb" }, tool_use_id: "t2" };
  const bash = { tool_name: "Bash", tool_input: { command: "sed -i s/a/b/ x" }, tool_use_id: "t3" };
  const read = { tool_name: "Read", tool_input: { file_path: "/repo/none.txt" }, tool_use_id: "t4" };
  expect([
    action("PreToolUse", write),
    action("PostToolUse", write),
    action("PostToolUse", notebook),
    action("PostToolUse", { ...write, tool_input: {} }),
    action("PreToolUse", bash),
    action("PostToolUse", bash),
    action("PostToolUseFailure", bash),
    action("PostToolUseFailure", write),
    action("PostToolUse", read),
    action("PreToolUse", { tool_name: "Bash" }),
  ]).toEqual([
    { kind: "seen" },
    { kind: "files-edited", paths: ["/repo/hello.txt"] },
    { kind: "files-edited", paths: ["/repo/a.ipynb"] },
    { kind: "seen" },
    { kind: "shell-started", call: "t3" },
    { kind: "shell-ended", call: "t3", failed: false },
    { kind: "shell-ended", call: "t3", failed: true },
    { kind: "seen" },
    { kind: "seen" },
    { kind: "seen" },
  ]);
});

test("a shell command in the background has not ended when its call has", () => {
  const bash = (more: object) => ({ tool_name: "Bash", tool_input: { command: "make" }, tool_use_id: "t", ...more });
  const background = bash({ tool_input: { command: "make", run_in_background: true } });
  expect([
    action("PreToolUse", background),
    action("PostToolUse", background),
    action("PostToolUse", bash({ tool_response: { stdout: "", backgroundTaskId: "b1" } })),
    action("PostToolUse", bash({ tool_input: { command: "make", run_in_background: false } })),
    action("PostToolUseFailure", background),
  ]).toEqual([
    { kind: "shell-started", call: "t" },
    { kind: "seen" },
    { kind: "seen" },
    { kind: "shell-ended", call: "t", failed: false },
    { kind: "shell-ended", call: "t", failed: true },
  ]);
});

test("P17 a turn that ends while subagents or schedules go on", () => {
  const running = { id: "a", type: "subagent", status: "running" };
  expect([
    action("Stop", { stop_hook_active: false, background_tasks: [], session_crons: [] }),
    action("Stop", { background_tasks: [running, running], session_crons: [{}] }),
    action("Stop"),
    action("StopFailure", { error: "rate_limit" }),
  ]).toEqual([0, 3, null, null].map((background) => ({ kind: "turn-ended", background })));
});

test("P19 what waits for a person, and what does not", () => {
  expect([
    action("PermissionRequest", { tool_name: "Write", tool_input: {} }),
    action("PermissionRequest", { tool_name: "AskUserQuestion", tool_input: {} }),
    action("PermissionRequest", { tool_name: "ExitPlanMode", tool_input: {} }),
    action("Notification", {
      notification_type: "permission_prompt",
      message: "Claude needs your permission to use Bash",
    }),
    action("Notification", { message: "Claude needs your permission to use Bash" }),
    action("Notification", { message: "Claude is waiting for your input" }),
    action("Notification", { notification_type: "idle_prompt" }),
    action("Notification", { notification_type: "elicitation_dialog" }),
    action("Notification", { notification_type: "auth_success", message: "permission granted" }),
  ]).toEqual([
    { kind: "waiting", reason: "permission: Write" },
    { kind: "waiting", reason: "a question" },
    { kind: "waiting", reason: "a plan" },
    { kind: "waiting", reason: "permission" },
    { kind: "waiting", reason: "permission" },
    { kind: "waiting", reason: "idle" },
    { kind: "waiting", reason: "idle" },
    { kind: "waiting", reason: "a question" },
    { kind: "seen" },
  ]);
});

test("P14 a subagent's events carry its id beside the session's", () => {
  const sub = { agent_id: "a-8", agent_type: "general-purpose" };
  const edit = { tool_name: "Edit", tool_input: { file_path: "/repo/x" }, tool_use_id: "t" };
  const seen = [
    event({ ...base, ...sub, hook_event_name: "SubagentStart" }),
    event({ ...base, ...sub, ...edit, hook_event_name: "PostToolUse" }),
    event({ ...base, ...sub, hook_event_name: "SubagentStop", background_tasks: [] }),
  ];
  expect(seen.map((one) => [one?.session, one?.agent, one?.action])).toEqual([
    ["s-1", "a-8", { kind: "subagent-started", agentType: "general-purpose" }],
    ["s-1", "a-8", { kind: "files-edited", paths: ["/repo/x"] }],
    ["s-1", "a-8", { kind: "subagent-ended" }],
  ]);
});

test("a session that works elsewhere from now on", () => {
  const moved = event({ ...base, hook_event_name: "CwdChanged", old_cwd: "/repo", new_cwd: "/repo/sub" });
  expect([moved?.cwd, moved?.action]).toEqual(["/repo/sub", { kind: "moved" }]);
});

test("events that say nothing of presence, and payloads that are none", () => {
  const call = { env: {}, cwd: "/hook" };
  expect([
    event({ ...base, hook_event_name: "InstructionsLoaded" }),
    ...[
      "text",
      null,
      [],
      {},
      { hook_event_name: "Stop" },
      { ...base, hook_event_name: 3 },
      { hook_event_name: "Stop", session_id: "x".repeat(201) },
    ].map((payload) => claudeCode.toEvent({ ...call, payload }).ok),
  ]).toEqual([null, false, false, false, false, false, false, false]);
});

test("a payload without a directory has the hook's", () => {
  expect(event({ session_id: "s", hook_event_name: "Stop", cwd: "relative" }, {})?.cwd).toBe("/hook");
});

test("P34 Copilot reads Claude Code's settings as its own: it is Copilot that is recorded, once", () => {
  const copilot = { COPILOT_CLI: "1", CLAUDE_PROJECT_DIR: "/repo" };
  const timestamp = "2026-11-29T20:12:44.838Z";
  const own = { hook_event_name: "SessionStart", session_id: "c-1", timestamp, cwd: "/repo", source: "new" };
  const write = { tool_name: "Write", tool_input: { path: "/repo/hello.txt", file_text: "hi\n" } };
  const inSubagent = { session_id: "c-2", agent_id: "c-2", agent_type: "general-purpose", parent_agent_id: "c-1" };
  const asks = {
    hookName: "permissionRequest",
    sessionId: "c-1",
    timestamp: 1795983165427,
    cwd: "/repo",
    toolName: "edit",
  };
  const seen = [
    event(own, copilot),
    event({ ...own, hook_event_name: "PostToolUse", ...write }, copilot),
    event({ ...own, hook_event_name: "UserPromptSubmit", ...inSubagent, prompt: "SUB-A look" }, copilot),
    event(asks, copilot),
  ];
  expect(seen.map((one) => [one?.client, one?.session, one?.agent, one?.agentPid, one?.action])).toEqual([
    ["copilot", "c-1", null, null, { kind: "session-started", source: "startup" }],
    ["copilot", "c-1", null, null, { kind: "files-edited", paths: ["/repo/hello.txt"] }],
    ["copilot", "c-1", "c-2", null, { kind: "prompt", text: "SUB-A look", byPerson: false }],
    ["copilot", "c-1", null, null, { kind: "seen" }],
  ]);
});

test("P34 an editor that reads them is told by its own version", () => {
  const cursor = { hook_event_name: "SessionStart", conversation_id: "k-1", cursor_version: "2.4.0", cwd: "/repo" };
  const seen = event(cursor, {});
  expect([seen?.client, seen?.session, seen?.sharedProcess]).toEqual(["cursor", "k-1", true]);
});

test("P12 Claude Code that was started by Copilot's shell has inherited its variables, and is itself", () => {
  const seen = event({ ...base, hook_event_name: "SessionStart" }, { ...env, COPILOT_CLI: "1" });
  expect(seen?.client).toBe("claude-code");
});

test("context in the form of whoever called, and none where it would make a turn go on", () => {
  const start = event({ ...base, hook_event_name: "SessionStart" });
  const stop = event({ ...base, hook_event_name: "Stop" });
  const copilot = event({ hook_event_name: "SessionStart", session_id: "c", cwd: "/repo" }, { COPILOT_CLI: "1" });
  const cursor = event({ hook_event_name: "PostToolUse", conversation_id: "k", cursor_version: "2" }, {});
  expect(
    [start, stop, copilot, cursor].map((one) => (one === null ? null : claudeCode.toOutput(one, 'a "b"\nc'))),
  ).toEqual([
    '{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"a \\"b\\"\\nc"}}',
    null,
    '{"additionalContext":"a \\"b\\"\\nc"}',
    '{"additional_context":"a \\"b\\"\\nc"}',
  ]);
});
