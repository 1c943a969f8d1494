// Payloads as Copilot CLI 1.0.102 sends them, in its own style and under Claude Code's names, cut down to what stands for something.

import { expect, test } from "vitest";
import type { ClientAction } from "../../sessions/client-event.ts";
import { claudeCode } from "../claude-code/client.ts";
import { copilot } from "./client.ts";

const env = { COPILOT_CLI: "1", CLAUDE_PROJECT_DIR: "/repo", HOME: "/home/u" };
const transcript = "/home/u/.copilot/session-state/c-1/events.jsonl";
const own = { sessionId: "c-1", timestamp: 1795983154174, cwd: "/repo" };
const claude = { session_id: "c-1", timestamp: "2026-11-29T20:12:44.838Z", cwd: "/repo" };

function event(payload: object) {
  const result = copilot.toEvent({ payload, env, cwd: "/hook" });
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}

function actions(payloads: readonly object[]): readonly (ClientAction | undefined)[] {
  return payloads.map((payload) => event(payload)?.action);
}

test("a session's start, whole, in both styles", () => {
  const expected = {
    client: "copilot",
    session: "c-1",
    agent: null,
    cwd: "/repo",
    action: { kind: "session-started", source: "startup" },
    native: "SessionStart",
    takesContext: true,
    // Where it lies is told by few events.
    transcript,
    agentPid: null,
    sharedProcess: false,
  };
  const payloads = [
    { ...own, source: "new", initialPrompt: "MAIN-PROMPT please write the file" },
    { ...claude, hook_event_name: "SessionStart", source: "new", initial_prompt: "MAIN-PROMPT please write the file" },
  ];
  expect(payloads.map(event)).toEqual([expected, expected]);
});

test("events of its own style have no name: their fields tell them", () => {
  const tool = { toolName: "create", toolArgs: { path: "/repo/hello.txt", file_text: "hi\n" } };
  const stop = { transcriptPath: transcript, stopReason: "end_turn", stop_hook_active: false };
  expect(
    actions([
      { ...own, prompt: "MAIN-PROMPT please write the file" },
      { ...own, ...tool },
      { ...own, ...tool, toolResult: { resultType: "success", textResultForLlm: "Created file" } },
      { ...own, toolName: "bash", toolArgs: { command: "ls" }, toolResult: { resultType: "success" } },
      { ...own, toolName: "view", toolArgs: { path: "/repo/none.txt" }, error: "Path does not exist" },
      { ...own, hookName: "permissionRequest", toolName: "bash", toolInput: { command: "ls" } },
      { ...own, ...stop },
      { ...own, reason: "complete" },
    ]),
  ).toEqual([
    { kind: "prompt", text: "MAIN-PROMPT please write the file", byPerson: true },
    { kind: "seen" },
    { kind: "files-edited", paths: ["/repo/hello.txt"] },
    { kind: "shell-ended", call: null, failed: false },
    { kind: "seen" },
    { kind: "seen" },
    { kind: "turn-ended", background: null },
    { kind: "session-ended", reason: "complete" },
  ]);
});

test("tools under Claude Code's names keep Copilot's arguments", () => {
  const after = (tool_name: string, tool_input: unknown, result_type = "success") => ({
    ...claude,
    hook_event_name: "PostToolUse",
    tool_name,
    tool_input,
    tool_result: { result_type, text_result_for_llm: "…" },
  });
  const patch = "*** Begin Patch\n*** Update File: a.ts\n*** Move to: b.ts\n*** End Patch\n";
  const write = { path: "/repo/hello.txt", file_text: "hi\n" };
  expect(
    actions([
      after("Write", write),
      after("Edit", { path: "src/a.ts", old_str: "a", new_str: "b" }),
      after("Edit", write, "denied"),
      after("edit", JSON.stringify(write)),
      after("apply_patch", patch),
      after("Bash", { command: "ls" }),
      after("Read", { path: "/repo/README.md" }),
      { ...claude, hook_event_name: "PostToolUseFailure", tool_name: "Edit", tool_input: write, error: "no such text" },
      { ...claude, hook_event_name: "PostToolUseFailure", tool_name: "Bash", tool_input: {}, error: "killed" },
      { ...claude, hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: {} },
    ]),
  ).toEqual([
    { kind: "files-edited", paths: ["/repo/hello.txt"] },
    { kind: "files-edited", paths: ["src/a.ts"] },
    { kind: "seen" },
    { kind: "files-edited", paths: ["/repo/hello.txt"] },
    { kind: "files-edited", paths: ["a.ts", "b.ts"] },
    { kind: "shell-ended", call: null, failed: false },
    { kind: "seen" },
    { kind: "seen" },
    { kind: "shell-ended", call: null, failed: true },
    { kind: "seen" },
  ]);
});

test("P14 P20 a subagent has its own id for a session's, and its parent's beside it", () => {
  const snake = { agent_id: "c-2", agent_type: "general-purpose", parent_agent_id: "c-1" };
  const camel = { agentId: "c-2", agentType: "general-purpose", parentAgentId: "c-1" };
  const stop = { transcript_path: transcript, stop_reason: "end_turn", stop_hook_active: false };
  const seen = [
    event({ ...own, transcriptPath: transcript, agentName: "general-purpose", ...snake }),
    event({ ...claude, session_id: "c-2", ...snake, hook_event_name: "UserPromptSubmit", prompt: "SUB-A look" }),
    event({ ...claude, session_id: "c-2", ...snake, ...stop, hook_event_name: "Stop" }),
    event({ ...claude, ...snake, ...stop, hook_event_name: "SubagentStop", agent_name: "general-purpose" }),
    event({ ...own, sessionId: "c-2", ...camel, transcriptPath: transcript, stopReason: "end_turn" }),
    event({ ...own, ...camel, agentName: "general-purpose", response: "sub report", stopReason: "end_turn" }),
  ];
  expect(seen.map((one) => [one?.session, one?.agent, one?.action])).toEqual([
    ["c-1", "c-2", { kind: "subagent-started", agentType: "general-purpose" }],
    ["c-1", "c-2", { kind: "prompt", text: "SUB-A look", byPerson: false }],
    ["c-1", "c-2", { kind: "subagent-ended" }],
    ["c-1", "c-2", { kind: "subagent-ended" }],
    ["c-1", "c-2", { kind: "subagent-ended" }],
    ["c-1", "c-2", { kind: "subagent-ended" }],
  ]);
});

test("P19 a notice says that a person is asked; a request for permission comes for every tool, also under --allow-all", () => {
  const notice = (notification_type: string) => ({ ...claude, hook_event_name: "Notification", notification_type });
  expect(actions([notice("permission_prompt"), notice("elicitation_dialog"), notice("shell_completed")])).toEqual([
    { kind: "waiting", reason: "permission" },
    { kind: "waiting", reason: "a question" },
    { kind: "seen" },
  ]);
});

test("P34 through Claude Code's settings every event is Copilot's, also those that tell a transcript", () => {
  const stop = { stop_reason: "end_turn", stop_hook_active: false };
  const payloads = [
    { ...claude, hook_event_name: "SessionStart", source: "new" },
    { ...claude, hook_event_name: "Stop", transcript_path: transcript, ...stop },
    { ...claude, hook_event_name: "SubagentStop", transcript_path: transcript, agent_id: "c-2", ...stop },
  ];
  const clients = (variables: Readonly<Record<string, string>>) =>
    payloads.map((payload) => {
      const seen = claudeCode.toEvent({ payload, env: variables, cwd: "/hook" });
      return seen.ok && [seen.value?.client, seen.value?.session, seen.value?.agent];
    });
  expect(clients(env)).toEqual([
    ["copilot", "c-1", null],
    ["copilot", "c-1", null],
    ["copilot", "c-1", "c-2"],
  ]);
});

test("context flat, and only where Copilot takes it", () => {
  const names = ["SessionStart", "PostToolUse", "UserPromptSubmit", "Stop"];
  const outputs = names.map((hook_event_name) => {
    const seen = event({ ...claude, hook_event_name });
    return seen === null ? null : copilot.toOutput(seen, 'a "b"\nc');
  });
  const form = '{"additionalContext":"a \\"b\\"\\nc"}';
  expect(outputs).toEqual([form, form, null, null]);
});

test("payloads that are none", () => {
  const payloads = [null, "x", {}, { hook_event_name: "Stop" }, { sessionId: "s" }, { prompt: "x" }];
  expect(payloads.map((payload) => copilot.toEvent({ payload, env, cwd: "/" }).ok)).toEqual(payloads.map(() => false));
});
