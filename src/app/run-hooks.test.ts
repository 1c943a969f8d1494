// What hooks of the person's may answer in their place: that call and no other.

import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { nodeHost } from "../adapters/node/host.ts";
import { readHooks } from "../agent/hooks/hook-file.ts";
import { asAgentId, asRunId } from "../base/ids.ts";
import { runHooks } from "./run-hooks.ts";

async function answered(decision: object) {
  const notes: string[] = [];
  const output = JSON.stringify({ hookSpecificOutput: { hookEventName: "PermissionRequest", decision } });
  const first = { agent: asAgentId("a0"), parent: null, root: tmpdir(), transcript: "t.jsonl" };
  const hooks = runHooks({
    surroundings: {
      ...{ host: nodeHost(), env: { PATH: process.env.PATH }, cwd: tmpdir(), processId: process.pid, workerHost: [] },
      ...{ platform: process.platform, packageRoot: "", nodePath: "", temporaryDirectory: tmpdir() },
    },
    list: readHooks({ PermissionRequest: [{ hooks: [{ type: "command", command: `echo '${output}'` }] }] }, "f"),
    runId: asRunId("20261130-120000-test"),
    first,
    projectDirectory: tmpdir(),
    permissionMode: "default",
    secrets: [],
    trace: { request: () => {}, call: () => {}, hooks: () => {} },
    onNote: (text) => notes.push(text),
  });
  const asked = { tool: "bash", input: { command: "make deploy" }, question: "a0 wants to use bash" };
  const answer = await hooks?.asking(first, asked, new AbortController().signal);
  return [answer, notes.length];
}

test("a hook that allows a call with other arguments has not allowed the one that would run: the person is asked", async () => {
  expect(await answered({ behavior: "allow" })).toEqual([{ kind: "allow" }, 0]);
  expect(await answered({ behavior: "allow", updatedInput: { command: "make deploy" } })).toEqual([
    { kind: "allow" },
    0,
  ]);
  expect(await answered({ behavior: "allow", updatedInput: { command: "make -n deploy" } })).toEqual([null, 1]);
  expect(await answered({ behavior: "deny", message: "no" })).toEqual([{ kind: "deny", reason: "no" }, 0]);
});
