// Cursor's payloads as its documents show them (https://cursor.com/docs/hooks); not captured from the real one.

import { expect, test } from "vitest";
import { claudeCode } from "../claude-code/client.ts";
import { cursor } from "./client.ts";

const base = {
  conversation_id: "c-1",
  generation_id: "g-1",
  model: "m",
  cursor_version: "2.0.77",
  workspace_roots: ["/r"],
  user_email: null,
  transcript_path: "/home/u/.cursor/c-1.jsonl",
};
const read = (more: object) => cursor.toEvent({ payload: { ...base, ...more }, env: {}, cwd: "/elsewhere" });
const action = (more: object) => {
  const event = read(more);
  return event.ok ? (event.value?.action ?? null) : event.error.message;
};

test("P16 P34 one process holds all conversations, and the session's id is that of Claude Code's hooks", () => {
  expect(read({ hook_event_name: "sessionStart", session_id: "c-1", is_background_agent: false })).toEqual({
    ok: true,
    value: {
      client: "cursor",
      session: "c-1",
      agent: null,
      cwd: "/r",
      action: { kind: "session-started", source: "startup" },
      native: "sessionStart",
      takesContext: true,
      transcript: "/home/u/.cursor/c-1.jsonl",
      agentPid: null,
      sharedProcess: true,
    },
  });
});

test("its events as ours", () => {
  const shell = { tool_name: "Shell", tool_input: { command: "npm install" }, tool_use_id: "t", cwd: "/r" };
  expect([
    action({ hook_event_name: "beforeSubmitPrompt", prompt: "Fix the bug", attachments: [] }),
    action({ hook_event_name: "preToolUse", ...shell }),
    action({ hook_event_name: "postToolUse", ...shell, tool_output: "{}", duration: 5 }),
    action({ hook_event_name: "postToolUseFailure", ...shell, failure_type: "timeout" }),
    action({ hook_event_name: "postToolUse", tool_name: "Write", tool_input: { file_path: "/r/a.ts" } }),
    action({ hook_event_name: "postToolUse", tool_name: "Read", tool_input: { file_path: "/r/a.ts" } }),
    action({ hook_event_name: "afterFileEdit", file_path: "/r/main.ts", edits: [] }),
    action({ hook_event_name: "subagentStart", subagent_id: "s", subagent_type: "explore" }),
    action({ hook_event_name: "subagentStop", status: "completed", modified_files: ["/r/x", 7, ""] }),
    action({ hook_event_name: "preCompact", trigger: "auto" }),
    action({ hook_event_name: "stop", status: "completed", loop_count: 0 }),
    action({ hook_event_name: "stop", status: "aborted", loop_count: 0 }),
    action({ hook_event_name: "sessionEnd", session_id: "c-1", reason: "user_close" }),
    action({ hook_event_name: "afterAgentThought", text: "…" }),
    action({ hook_event_name: 7 }),
    action({ hook_event_name: "stop", conversation_id: "x".repeat(201) }),
  ]).toEqual([
    { kind: "prompt", text: "Fix the bug", byPerson: true },
    { kind: "shell-started", call: "t" },
    { kind: "shell-ended", call: "t", failed: false },
    { kind: "shell-ended", call: "t", failed: true },
    { kind: "files-edited", paths: ["/r/a.ts"] },
    { kind: "seen" },
    { kind: "files-edited", paths: ["/r/main.ts"] },
    { kind: "seen" },
    { kind: "files-edited", paths: ["/r/x"] },
    { kind: "compacting" },
    { kind: "turn-ended", background: null },
    { kind: "interrupted" },
    { kind: "session-ended", reason: "user_close" },
    null,
    "hook_event_name: expected a text",
    "conversation_id: expected a text of at most 200 characters",
  ]);
});

test("a text for its model is flat, and only where it takes one", () => {
  const outputs = ["sessionStart", "postToolUse", "stop"].map((hook_event_name) => {
    const event = read({ hook_event_name });
    return event.ok && event.value !== null ? cursor.toOutput(event.value, "words") : event;
  });
  const words = '{"additional_context":"words"}';
  expect(outputs).toEqual([words, words, null]);
});

test("P34 where it runs Claude Code's hooks, too, both record one session of Cursor's", () => {
  const payload = { ...base, session_id: "c-1", hook_event_name: "sessionStart", cwd: "/r" };
  const seen = [claudeCode, cursor].map((client) => {
    const event = client.toEvent({ payload, env: {}, cwd: "/elsewhere" });
    return event.ok && event.value !== null ? [event.value.client, event.value.session, event.value.cwd] : event;
  });
  expect(seen).toEqual([
    ["cursor", "c-1", "/r"],
    ["cursor", "c-1", "/r"],
  ]);
});
