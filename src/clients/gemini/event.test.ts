// Payloads as Gemini CLI 0.61.0 sends them, cut down to what stands for something.

import { expect, test } from "vitest";
import type { ClientAction } from "../../sessions/client-event.ts";
import { claudeCode } from "../claude-code/client.ts";
import { gemini } from "./client.ts";

const base = {
  session_id: "s-1",
  transcript_path: "/home/u/.gemini/tmp/repo/chats/session-2026-11-29T20-12-b44950aa.jsonl",
  cwd: "/repo",
  timestamp: "2026-11-29T20:12:07.990Z",
};

function event(payload: object) {
  // Started by Claude Code, whose variables it has inherited.
  const result = gemini.toEvent({ payload, env: { CLAUDE_PID: "23", CLAUDECODE: "1" }, cwd: "/hook" });
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}

function action(hook_event_name: string, more: object = {}): ClientAction | undefined {
  return event({ ...base, hook_event_name, ...more })?.action;
}

test("P12 a session's start, whole: nothing of the agent that started it", () => {
  expect(event({ ...base, hook_event_name: "SessionStart", source: "startup" })).toEqual({
    client: "gemini",
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

test("P11 sources of a start; P13 every event that we hook names the session by itself", () => {
  const sources = ["resume", "clear", "tea"].map((source) => action("SessionStart", { source }));
  expect(sources).toEqual(["resume", "clear", "other"].map((source) => ({ kind: "session-started", source })));
  const names = ["SessionStart", "BeforeAgent", "BeforeTool", "AfterTool", "Notification", "AfterAgent", "SessionEnd"];
  expect(names.map((name) => event({ ...base, hook_event_name: name })?.session)).toEqual(names.map(() => "s-1"));
});

test("P33 what hooks have put before a prompt is not the person's: no other session's words become this one's intent", () => {
  const own = "MAIN-PROMPT please write the file";
  const block = "<hook_context>Other agent sessions:\n- codex: FIRST-TASK</hook_context>\n\n";
  const prompts = [own, block + own, block + block + own, block, "", `${own} ${block}`];
  expect(prompts.map((prompt) => action("BeforeAgent", { prompt }))).toEqual([
    { kind: "prompt", text: own, byPerson: true },
    { kind: "prompt", text: own, byPerson: true },
    { kind: "prompt", text: own, byPerson: true },
    { kind: "prompt", text: "", byPerson: false },
    { kind: "prompt", text: "", byPerson: false },
    { kind: "prompt", text: `${own} ${block}`, byPerson: true },
  ]);
});

test("tools: edits that went well, absolute or relative; commands before and after, without an id of the client's", () => {
  const tool = (tool_name: string, tool_input: object, more: object = {}) => ({ tool_name, tool_input, ...more });
  const write = { file_path: "/repo/hello.txt", content: "hi\n" };
  const answer = { llmContent: "Successfully created and wrote to new file", returnDisplay: { isNewFile: true } };
  const refused = { llmContent: "Failed", returnDisplay: "Failed", error: { message: "no such text", type: "edit" } };
  const sed = { command: "sed -i s/a/b/ x", description: "change it" };
  const started = action("BeforeTool", tool("run_shell_command", sed));
  const other = action("BeforeTool", tool("run_shell_command", { command: "ls" }));
  if (started?.kind !== "shell-started" || other?.kind !== "shell-started") throw new Error("no command");
  expect(other.call).not.toBe(started.call);
  expect([
    action("AfterTool", tool("write_file", write, { tool_response: answer })),
    action("AfterTool", tool("replace", { file_path: "src/a.ts", old_string: "a", new_string: "b" })),
    action("AfterTool", tool("replace", write, { tool_response: refused })),
    action("AfterTool", tool("write_file", {})),
    action("AfterTool", tool("read_file", write)),
    action("BeforeTool", tool("write_file", write)),
    action("AfterTool", tool("run_shell_command", sed, { tool_response: answer })),
    action("AfterTool", tool("run_shell_command", sed, { tool_response: refused })),
    action("AfterTool", tool("run_shell_command", { ...sed, is_background: true }, { tool_response: answer })),
  ]).toEqual([
    { kind: "files-edited", paths: ["/repo/hello.txt"] },
    { kind: "files-edited", paths: ["src/a.ts"] },
    { kind: "seen" },
    { kind: "seen" },
    { kind: "seen" },
    { kind: "seen" },
    { kind: "shell-ended", call: started.call, failed: false },
    { kind: "shell-ended", call: started.call, failed: true },
    { kind: "seen" },
  ]);
});

test("P19 what waits for a person; the ends of a turn and a session", () => {
  const asks = (details: object) => action("Notification", { notification_type: "ToolPermission", details });
  expect([
    asks({ type: "edit", title: "Confirm Edit", fileName: "hello.txt" }),
    asks({ type: "ask_user", title: "Ask User" }),
    asks({}),
    action("Notification", { notification_type: "Other" }),
    action("AfterAgent", { prompt: "x", prompt_response: "All done.", stop_hook_active: false }),
    action("SessionEnd", { reason: "exit" }),
    action("PreCompress", { trigger: "auto" }),
    action("BeforeModel"),
  ]).toEqual([
    { kind: "waiting", reason: "permission: edit" },
    { kind: "waiting", reason: "a question" },
    { kind: "waiting", reason: "permission: a tool" },
    { kind: "seen" },
    { kind: "turn-ended", background: 0 },
    { kind: "session-ended", reason: "exit" },
    undefined,
    undefined,
  ]);
});

test("context where Gemini takes it: not before a tool, where it is dropped", () => {
  const names = ["SessionStart", "BeforeAgent", "BeforeTool", "AfterTool", "AfterAgent"];
  const outputs = names.map((hook_event_name) => {
    const seen = event({ ...base, hook_event_name });
    return seen === null ? null : gemini.toOutput(seen, "who");
  });
  const form = (name: string) => `{"hookSpecificOutput":{"hookEventName":"${name}","additionalContext":"who"}}`;
  expect(outputs).toEqual([form("SessionStart"), form("BeforeAgent"), null, form("AfterTool"), null]);
});

test("P34 Claude Code's hooks, copied into Gemini's settings: it is Gemini that is recorded", () => {
  const payload = { ...base, hook_event_name: "SessionStart", source: "startup" };
  const call = { payload, cwd: "/hook" };
  const own = claudeCode.toEvent({ ...call, env: { GEMINI_SESSION_ID: "s-1" } });
  // A Claude Code that Gemini's shell has started.
  const child = claudeCode.toEvent({ ...call, env: { GEMINI_SESSION_ID: "s-0" } });
  expect([own, child].map((one) => one.ok && one.value?.client)).toEqual(["gemini", "claude-code"]);
});

test("payloads that are none", () => {
  const payloads = [null, "x", {}, { hook_event_name: "AfterAgent" }, { session_id: "s" }];
  expect(payloads.map((payload) => gemini.toEvent({ payload, env: {}, cwd: "/" }).ok)).toEqual(
    payloads.map(() => false),
  );
});
