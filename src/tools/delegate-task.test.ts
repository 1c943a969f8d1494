// Which contexts a child may be given: all by default, and only the named ones where a run names some.

import { expect, test } from "vitest";
import { loneCall } from "../agent/tool.ts";
import { asAgentId, asCallId } from "../base/ids.ts";
import { type DelegateToolOptions, delegateTaskTool } from "./delegate-task.ts";

const idle: DelegateToolOptions["family"] = {
  announce: async () => {},
  settled: () => {},
  delegate: async () => ({ kind: "text", text: "" }),
};

async function contextOf(contexts: DelegateToolOptions["contexts"], input: object): Promise<unknown> {
  const asked: unknown[] = [];
  const family: DelegateToolOptions["family"] = {
    ...idle,
    delegate: async ({ context }) => {
      asked.push(context);
      return { kind: "text", text: "done" };
    },
  };
  const tool = delegateTaskTool({ family, models: ["m"], contexts });
  const signal = new AbortController().signal;
  const answer = await tool.run(
    { task: "look", ...input },
    loneCall({ agent: asAgentId("a0"), callId: asCallId("c"), signal }),
  );
  return asked[0] ?? answer.kind;
}

const schemaOf = (contexts: DelegateToolOptions["contexts"]) =>
  JSON.stringify(delegateTaskTool({ family: idle, models: ["m"], contexts }).spec.inputSchema);

test("a child gets the first context that is allowed, and a call that asks for another is refused", async () => {
  expect([
    await contextOf(undefined, {}),
    await contextOf(undefined, { context: "full" }),
    await contextOf(["full", "no-tools"], {}),
    await contextOf(["task-only"], {}),
  ]).toEqual(["task-only", "full", "full", "task-only"]);
  expect(schemaOf(undefined)).toContain('["task-only","full","no-tools"]');
  expect(schemaOf(undefined)).toContain(
    "What the child gets of this conversation: nothing (`task-only`, the default), all of it (`full`), or its texts without calls and their results (`no-tools`).",
  );
  expect(schemaOf(["task-only"])).toContain('["task-only"]');
  expect(schemaOf(["task-only"])).toContain(
    "What the child gets of this conversation: nothing (`task-only`, the default).",
  );
});
