// Calls as hooks see them. The right forms are those that Claude Code's documentation shows of its tools.

import { expect, test } from "vitest";
import { fromHook, toHook } from "./hook-form.ts";

test.each<[string, object, readonly string[], object]>([
  ["read_file", { path: "a.txt", offset: 3 }, ["Read"], { file_path: "/tree/a.txt", offset: 3 }],
  ["write_file", { path: "d/a.txt", content: "x" }, ["Write"], { file_path: "/tree/d/a.txt", content: "x" }],
  [
    "edit_file",
    { path: "a.txt", edits: [{ old_string: "x", new_string: "y" }] },
    ["Edit"],
    { file_path: "/tree/a.txt", old_string: "x", new_string: "y" },
  ],
  [
    "edit_file",
    { path: "a.txt", edits: [1, 2].map((n) => ({ old_string: `${n}`, new_string: "y" })) },
    ["MultiEdit", "Edit"],
    { file_path: "/tree/a.txt", edits: [1, 2].map((n) => ({ old_string: `${n}`, new_string: "y" })) },
  ],
  ["bash", { command: "ls", timeout_ms: 500 }, ["Bash"], { command: "ls", timeout: 500 }],
  ["glob", { pattern: "*.ts", path: "src" }, ["Glob"], { pattern: "*.ts", path: "/tree/src" }],
  [
    "grep",
    { pattern: "x", path: "src", output: "files", context: 2 },
    ["Grep"],
    { pattern: "x", path: "/tree/src", output_mode: "files", "-C": 2 },
  ],
  [
    "delegate_task",
    { task: "Look\nclosely", background: true, write_scope: ["a"] },
    ["Agent", "Task"],
    {
      description: "Look",
      prompt: "Look\nclosely",
      subagent_type: "general-purpose",
      run_in_background: true,
      write_scope: ["a"],
    },
  ],
  ["read_skill", { name: "x" }, [], { name: "x" }],
])("%s %j", (name, input, names, hooked) => {
  const form = toHook(name, input, "/tree");
  expect([form.names, form.input]).toEqual([[...names, name], hooked]);
  expect(fromHook(name, form.input, "/tree")).toEqual(input);
});
