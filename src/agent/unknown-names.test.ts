// Arguments that a tool does not have: refused wherever they stand, with the name that was probably meant.

import { expect, test } from "vitest";
import { asAgentId, asCallId } from "../base/ids.ts";
import { freshTree } from "../testing/tools/tree.ts";
import { delegateTaskTool } from "../tools/delegate-task.ts";
import { editingTools, readOnlyTools } from "../tools/index.ts";
import { waitTaskTool } from "../tools/wait-task.ts";
import { loneCall } from "./tool.ts";

const tree = freshTree();
const nobody = async () => ({ kind: "text", text: "run" }) as const;
const family = { announce: async () => {}, settled: () => {}, delegate: nobody, wait: nobody };

test("H4 a misspelled argument is refused by every tool, and nothing is done", async () => {
  await tree().put("a.txt", "one\n");
  const tools = [
    ...readOnlyTools(tree().env),
    ...editingTools(tree().env),
    delegateTaskTool({ family, models: ["m"] }),
    waitTaskTool(family),
  ];
  const good: Readonly<Record<string, object>> = {
    read_file: { path: "a.txt" },
    glob: { pattern: "*" },
    grep: { pattern: "one" },
    edit_file: { path: "a.txt", edits: [{ old_string: "one", new_string: "two" }] },
    write_file: { path: "b.txt", content: "b" },
    bash: { command: "touch ran" },
    delegate_task: { task: "x" },
    wait_task: {},
  };
  const call = loneCall({ agent: asAgentId("a0"), callId: asCallId("c"), signal: new AbortController().signal });
  const answers = await Promise.all(tools.map((one) => one.run({ ...good[one.spec.name], nonsense_of_mine: 1 }, call)));
  const without = await Promise.all(tools.map((one) => one.run({ ...good[one.spec.name] }, call)));
  expect({
    refused: answers.map(({ kind, text }) => [kind, text.split("\n")[1]?.split(":")[0]]),
    run: without.map(({ kind }) => kind),
  }).toEqual({
    refused: tools.map(() => ["error", '✖ there is no argument "nonsense_of_mine"']),
    run: tools.map(() => "text"),
  });
});

test("the name that was probably meant is said, in a list too; one that is there already is not proposed", async () => {
  const [, , , edit] = [...readOnlyTools(tree().env), ...editingTools(tree().env)];
  const delegate = delegateTaskTool({ family, models: ["m"] });
  const call = loneCall({ agent: asAgentId("a0"), callId: asCallId("c"), signal: new AbortController().signal });
  const texts = [
    (await delegate.run({ task: "x", writes: ["a"], isolaton: "workspace" }, call)).text,
    (await edit?.run({ path: "a.txt", edits: [{ old_string: "a", new_sting: "b" }] }, call))?.text,
  ];
  const names = "task, context, model, isolation, write_scope, background";
  expect(texts).toEqual([
    [
      "delegate_task: invalid arguments",
      `✖ there is no argument "writes": did you mean "write_scope"? The names are: ${names}`,
      `✖ there is no argument "isolaton": did you mean "isolation"? The names are: ${names}`,
    ].join("\n"),
    expect.stringMatching(
      /^edit_file: invalid arguments\n[\s\S]*✖ there is no argument "new_sting" in edits\[0\]: did you mean "new_string"\? The names are: old_string, new_string/,
    ),
  ]);
});
