// The sessions of a scenario: how each client is started without a person, and what its model answers. The first one's model writes a file and
// then thinks for as long as it is held; those of the second and third change a line of it twice; any other just answers.

import { join } from "node:path";
import type { Answer, Call, ModelRequest } from "./fake-model.ts";
import type { Place, Running } from "./place.ts";

export type Client = "claude-code" | "codex";

export function startClient(place: Place, client: Client, prompt: string): Running {
  if (client === "claude-code") {
    const form = ["--output-format", "stream-json", "--verbose"];
    return place.start(
      "claude",
      "-p",
      prompt,
      ...form,
      "--permission-mode",
      "acceptEdits",
      "--allowedTools",
      "Read Edit Write",
    );
  }
  // In a home that is thrown away the test may stand in for the person who approves hooks.
  const approved = ["--dangerously-bypass-hook-trust", "--dangerously-bypass-approvals-and-sandbox"];
  return place.start("codex", "exec", "--json", ...approved, prompt);
}

export interface Scene {
  readonly directory: string;
  readonly held: Promise<void>;
}

const lines = ["hello", "SECOND-TASK", "THIRD-TASK"];

export function scripted(request: ModelRequest, { directory, held }: Scene): Answer {
  const task = ["FIRST-TASK", "SECOND-TASK", "THIRD-TASK"].find((name) => request.user.includes(name));
  if (task === undefined || request.tools === 0) return { say: "ok" };
  const path = join(directory, "greeting.txt");
  // Only one of them knows this tool.
  const calls = request.body.includes('"apply_patch"') ? codexCalls(task) : claudeCalls(task, path);
  const call = calls[request.turn];
  if (call !== undefined) return { calls: [call] };
  return task === "FIRST-TASK" ? { say: "Added.", after: held } : { say: "Changed." };
}

function claudeCalls(task: string, file_path: string): readonly Call[] {
  if (task === "FIRST-TASK") return [{ name: "Write", args: { file_path, content: `${lines.join("\n")}\n` } }];
  const edit = (old_string: string, new_string: string): Call => ({
    name: "Edit",
    args: { file_path, old_string, new_string },
  });
  return [{ name: "Read", args: { file_path } }, edit(task, `${task} one`), edit(`${task} one`, `${task} two`)];
}

function codexCalls(task: string): readonly Call[] {
  const patch = (body: string): Call => ({ name: "apply_patch", input: `*** Begin Patch\n${body}*** End Patch\n` });
  if (task === "FIRST-TASK")
    return [patch(`*** Add File: greeting.txt\n${lines.map((line) => `+${line}\n`).join("")}`)];
  const update = (before: string, after: string): Call =>
    patch(`*** Update File: greeting.txt\n@@\n-${before}\n+${after}\n`);
  return [update(task, `${task} one`), update(`${task} one`, `${task} two`)];
}
