// Payloads as Codex 0.171.0 sends them, cut down to what stands for something.

import { expect, test } from "vitest";
import type { ClientAction } from "../../sessions/client-event.ts";
import { codex } from "./client.ts";
import { patchedPaths } from "./patch.ts";

const base = {
  session_id: "s-1",
  turn_id: "t-1",
  transcript_path: "/home/u/.codex/sessions/2026/11/29/rollout-s-1.jsonl",
  cwd: "/repo",
  model: "gpt-5.5",
  permission_mode: "bypassPermissions",
};

function event(payload: object) {
  // Started by Claude Code, whose variables it has inherited.
  const result = codex.toEvent({ payload, env: { CLAUDE_PID: "23", COPILOT_CLI: "1" }, cwd: "/hook" });
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}

function action(hook_event_name: string, more: object = {}): ClientAction | undefined {
  return event({ ...base, hook_event_name, ...more })?.action;
}

test("P12 a session's start, whole: nothing of the agent that started it", () => {
  expect(event({ ...base, hook_event_name: "SessionStart", source: "resume" })).toEqual({
    client: "codex",
    session: "s-1",
    agent: null,
    cwd: "/repo",
    action: { kind: "session-started", source: "resume" },
    native: "SessionStart",
    takesContext: true,
    transcript: "/home/u/.codex/sessions/2026/11/29/rollout-s-1.jsonl",
    agentPid: null,
    sharedProcess: false,
  });
});

test("tools: patches name their files, commands do not", () => {
  const patch = (command: string, tool_response: string) =>
    action("PostToolUse", { tool_name: "apply_patch", tool_input: { command }, tool_response, tool_use_id: "p" });
  const add = "*** Begin Patch\n*** Add File: hello.txt\n+hi\n*** End Patch\n";
  const bash = { tool_name: "Bash", tool_input: { command: "cat none.txt" }, tool_use_id: "b" };
  expect([
    patch(add, "Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess. Updated the following files:\nA hello.txt\n"),
    patch(add, "Exit code: 1\nOutput:\nno such file"),
    patch("nonsense", "Exit code: 0"),
    action("PreToolUse", bash),
    action("PostToolUse", { ...bash, tool_response: "cat: none.txt: No such file or directory\n" }),
    action("PreToolUse", { tool_name: "apply_patch", tool_use_id: "p" }),
    action("PostToolUse", { tool_name: "mcp__echo__echo", tool_use_id: "m" }),
  ]).toEqual([
    { kind: "files-edited", paths: ["hello.txt"] },
    { kind: "seen" },
    { kind: "seen" },
    { kind: "shell-started", call: "b" },
    { kind: "shell-ended", call: "b", failed: false },
    { kind: "seen" },
    { kind: "seen" },
  ]);
});

test("P23 a patch's files: all of them once, both names of a rename, none of a patch within a patch", () => {
  const patch = [
    "*** Begin Patch",
    "*** Update File: src/a b.ts",
    "*** Move to: src/größe.ts",
    "@@ -1 +1 @@",
    "-*** Update File: removed line",
    "+*** Add File: added line",
    " *** Delete File: context line",
    "*** Delete File: old.ts\r",
    "*** Add File: src/a b.ts",
    "*** Add File: ",
    "*** End Patch",
  ].join("\n");
  expect(patchedPaths(patch)).toEqual(["src/a b.ts", "src/größe.ts", "old.ts"]);
});

test("P19 P20 prompts, permissions and ends of turns", () => {
  const sub = { agent_id: "a-7", agent_type: "default" };
  expect([
    action("UserPromptSubmit", { prompt: "write the file" }),
    action("UserPromptSubmit", { prompt: "SUB-A look", ...sub }),
    action("PermissionRequest", { tool_name: "Bash", tool_input: {} }),
    action("Stop", { stop_hook_active: false }),
    action("Interrupt"),
    action("SubagentStart", sub),
    action("SubagentStop", sub),
    action("SessionEnd", { reason: "other" }),
    action("PreCompact"),
    action("PreModelRequest"),
  ]).toEqual([
    { kind: "prompt", text: "write the file", byPerson: true },
    { kind: "prompt", text: "SUB-A look", byPerson: false },
    { kind: "waiting", reason: "permission: Bash" },
    { kind: "turn-ended", background: null },
    { kind: "interrupted" },
    { kind: "subagent-started", agentType: "default" },
    { kind: "subagent-ended" },
    { kind: "session-ended", reason: "other" },
    { kind: "compacting" },
    undefined,
  ]);
});

test("context in Codex's form, with not one key more", () => {
  const start = event({ ...base, hook_event_name: "SubagentStart" });
  const stop = event({ ...base, hook_event_name: "Stop" });
  expect([start, stop].map((one) => (one === null ? null : codex.toOutput(one, "who")))).toEqual([
    '{"hookSpecificOutput":{"hookEventName":"SubagentStart","additionalContext":"who"}}',
    null,
  ]);
});

test("payloads that are none", () => {
  const payloads = [
    null,
    "x",
    {},
    { hook_event_name: "Stop" },
    { session_id: "s" },
    { session_id: "", hook_event_name: "Stop" },
  ];
  expect(payloads.map((payload) => codex.toEvent({ payload, env: {}, cwd: "/" }).ok)).toEqual(
    payloads.map(() => false),
  );
});
