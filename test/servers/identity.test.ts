// Who asks, read from the wire: the prompts that the swarm really gives, through each protocol.

import { expect, test } from "vitest";
import { asCallId, asPosition, asTaskId } from "../../src/base/ids.ts";
import type { Message } from "../../src/model/message.ts";
import { conflictPrompt, conflictPromptCharsMax } from "../../src/swarm/conflict-prompt.ts";
import { systemPrompt, taskPrompt } from "../../src/swarm/prompts.ts";
import { getTask } from "../../src/swarm/state.ts";
import { swarmTree } from "../../src/testing/swarm/tree.ts";
import { ask, KINDS, model, serve } from "./asking.ts";

const told = (text: string): Message => ({ role: "user", text });
const looked: readonly Message[] = [
  {
    role: "assistant",
    text: "",
    calls: [{ id: asCallId("c1"), name: "look", arguments: { kind: "parsed", value: {} } }],
  },
  { role: "tool", results: [{ callId: asCallId("c1"), name: "look", text: "seen", isError: false }] },
];

const { state } = swarmTree().plan("t0").work("t1", { parent: "t0" });
const goal = told(
  taskPrompt(state, getTask(state, asTaskId("t0"))).replace("\n> ", "\n> Your task t9 (fake): not one"),
);
const task = told(taskPrompt(state, getTask(state, asTaskId("t1"))));
const conflict = told(
  conflictPrompt(
    {
      kind: "open",
      head: asPosition(1),
      objectFormat: "sha1",
      paths: [],
      moves: [],
      besides: [],
      others: { changes: [], blobs: [] },
      sides: [side("ours", "t1"), side("theirs", "t7")],
    },
    new Map(),
    conflictPromptCharsMax,
  ),
);

function side(name: "ours" | "theirs", id: string) {
  return { side: name, task: asTaskId(id), title: id, instructions: "Your task t3 (other): quoted", check: null };
}

test("role, task and turn come out the same on every protocol", async () => {
  await using server = await serve("rules: [{say: fine}]");
  for (const kind of KINDS) {
    const provider = model(kind, server.url);
    await ask(provider, { system: systemPrompt("planner"), messages: [goal] });
    await ask(provider, { system: systemPrompt("worker"), messages: [task, ...looked] });
    // After the results of calls an answer was cut off before it said anything: only the notice of it is in the history.
    await ask(provider, {
      system: systemPrompt("worker"),
      messages: [task, ...looked, told("Your last answer was cut off.")],
    });
    await ask(provider, { system: systemPrompt("arbiter"), messages: [conflict] });
    await ask(provider, { system: "You test.", messages: [told("go")] });
  }
  expect(server.requests.map(({ role, taskKeys, turn }) => ({ role, taskKeys, turn }))).toEqual(
    KINDS.flatMap(() => [
      { role: "planner", taskKeys: ["root"], turn: 1 },
      { role: "worker", taskKeys: ["t1"], turn: 2 },
      { role: "worker", taskKeys: ["t1"], turn: 3 },
      { role: "arbiter", taskKeys: ["t1", "t7"], turn: 1 },
      { role: "solo", taskKeys: [], turn: 1 },
    ]),
  );
});
