// Children in the background: the call returns at once, and each result reaches the parent exactly once, by wait_task or as a message,
// also after a crash.

import { expect, test } from "vitest";
import { asAgentId, asCallId } from "../base/ids.ts";
import type { Message } from "../model/message.ts";
import { type Answering, delegate, familyRig, resultsOf, taskOf, top } from "../testing/agent/family-rig.ts";
import { call } from "../testing/agent/rig.ts";
import type { AskedChild } from "./delegation-record.ts";
import { childLine, readChildLine } from "./delegation-record.ts";

const background = (id: string, task: string) => delegate(id, task, { background: true });
const startedText = (child: string) =>
  `child ${child} was started in the background. Its result comes as a message when it is done; wait_task waits for it.`;
const doneText = (child: string, text: string) => `child ${child} is done. Its result:\n\n${text}`;

/** Children take as many milliseconds as their task says; the parent answers by its turn. */
function turns(...answers: readonly ReturnType<Answering>[]): Answering {
  return (request) => {
    if (request.context.agent !== top) return { afterMs: Number(taskOf(request)), say: `took ${taskOf(request)}` };
    return answers[request.context.turn - 1] ?? { say: "end" };
  };
}

function toldOf(messages: readonly Message[]): readonly string[] {
  return messages.flatMap((message) => (message.role === "user" ? [message.text] : [])).slice(1);
}

test("a result comes as one message before the next request, and a parent that stops waits for those to come", async () => {
  const rig = familyRig({
    answering: turns(
      { calls: [background("c1", "10"), background("c2", "500")] },
      { afterMs: 100, say: "I think", calls: [call("w", "nothing")] },
      { say: "I am done, but for the children" },
      { say: "now all is there" },
    ),
  });
  const result = await rig.toEnd();
  expect({
    kind: result.kind,
    told: toldOf(result.messages),
    results: resultsOf(result).slice(0, 2),
    last: result.messages.at(-1),
  }).toEqual({
    kind: "stopped",
    told: [
      `[news from the background]\n${doneText("a1", "took 10")}`,
      `[news from the background]\n${doneText("a2", "took 500")}`,
    ],
    results: [
      [startedText("a1"), false],
      [startedText("a2"), false],
    ],
    last: { role: "assistant", text: "now all is there", calls: [] },
  });
});

test("many results come in as many messages as keep each of them small", async () => {
  const calls = Array.from({ length: 12 }, (_, n) => background(`c${n}`, "10"));
  const rig = familyRig({
    answering: (request) => {
      if (request.context.agent !== top) return { afterMs: 10, say: "x".repeat(8_000) };
      return request.context.turn === 1 ? { calls } : { afterMs: 50, say: "I wait" };
    },
    limits: { childrenAtOnceMax: 12 },
  });
  const result = await rig.toEnd();
  const told = toldOf(result.messages).map((text) => text.split("[news from the background]").length - 1);
  expect(told).toEqual([8, 4]);
});

test("wait_task gives the results of those named or of all, once; what was given comes in no message", async () => {
  const rig = familyRig({
    answering: turns(
      { calls: [background("c1", "300"), background("c2", "10"), background("c3", "20")] },
      { calls: [call("w1", "wait_task", { children: ["a1"] })] },
      {
        calls: [
          call("w2", "wait_task", {}),
          call("w3", "wait_task", { children: ["a9"] }),
          call("w4", "wait_task", { children: ["a1"] }),
        ],
      },
      { calls: [call("w5", "wait_task")] },
    ),
  });
  const result = await rig.toEnd();
  expect({ results: resultsOf(result).slice(3), told: toldOf(result.messages) }).toEqual({
    results: [
      [doneText("a1", "took 300"), false],
      // The two others were over before this answer, and came with the message before it.
      ["you have no children in the background whose results are to come", true],
      ["no child of yours in the background is called a9; there are: a1, a2, a3", true],
      ["child a1: you have had its result", false],
      ["you have no children in the background whose results are to come", true],
    ],
    told: [
      `[news from the background]\n${doneText("a2", "took 10")}\n\n[news from the background]\n${doneText("a3", "took 20")}`,
    ],
  });
});

test("wait_task calls of one answer give each result once, to the first that asks, as one after another", async () => {
  const answering = turns(
    {
      calls: [
        background("c1", "300"),
        background("c2", "10"),
        call("w1", "wait_task", { children: ["a2"] }),
        call("w2", "wait_task"),
        call("w3", "wait_task", { children: ["a1", "a2"] }),
        background("c3", "5"),
        call("w4", "wait_task"),
      ],
    },
    { say: "end" },
  );
  const results = async (callsAtOnceMax: number) => {
    const rig = familyRig({ answering, agentLimits: { callsAtOnceMax } });
    const result = await rig.toEnd();
    return {
      results: resultsOf(result).filter(([text]) => !text.includes("was started")),
      told: toldOf(result.messages),
    };
  };
  const once = {
    results: [
      [doneText("a2", "took 10"), false],
      [doneText("a1", "took 300"), false],
      ["child a1: you have had its result\n\nchild a2: you have had its result", false],
      [doneText("a3", "took 5"), false],
    ],
    told: [],
  };
  expect([await results(10), await results(1)]).toEqual([once, once]);
});

test("children in the background end with their parent, and nothing of them goes on", async () => {
  const rig = familyRig({
    answering: turns({ calls: [background("c1", "60000")] }, { afterMs: 60_000, say: "never" }),
  });
  rig.clock.after(100, () => rig.abort.abort());
  const result = await rig.toEnd();
  expect([result.kind, rig.records.map(({ child, outcome }) => [child, outcome])]).toEqual([
    "cancelled",
    [["a1", "cancelled"]],
  ]);
});

test("H5 after a crash a result that its parent had not been told comes, one that it had been told does not", async () => {
  const child = (n: number, task: string): AskedChild => ({
    child: asAgentId(`a${n}`),
    parent: top,
    seq: n,
    callId: asCallId(`c${n}`),
    turn: 1,
    index: n - 1,
    queuedAtMs: 1,
    request: { task, context: "task-only", model: null, isolation: "shared", writeScope: [], background: true },
  });
  const over = {
    messages: [
      { role: "user", text: "do it" },
      { role: "assistant", text: "it is done", calls: [] },
    ] satisfies Message[],
    turns: 1,
    interrupted: 0,
    lastRequest: null,
    pending: null,
    linesDamaged: 0,
    ended: { outcome: "stopped", detail: "" },
    requests: [],
  };
  const rig = familyRig({
    answering: turns({ say: "I wait" }, { calls: [background("c4", "5")] }),
    before: {
      entries: [
        ...[child(1, "10"), child(2, "20"), child(3, "30")].flatMap((asked) => [
          { kind: "asked", asked } as const,
          { kind: "begun", child: asked.child } as const,
        ]),
        { kind: "told", child: asAgentId("a2") },
      ],
      // The first was over before the crash; the third had not begun.
      sessions: new Map([[asAgentId("a1"), over]]),
    },
  });
  const result = await rig.toEnd();
  expect({
    told: toldOf(result.messages),
    asked: rig.requests.map(({ context }) => context.agent).filter((agent) => agent !== top),
    notes: rig.notes.flatMap((entry) =>
      entry.kind === "told" ? [entry.child] : entry.kind === "begun" ? [`begun ${entry.child}`] : [],
    ),
  }).toEqual({
    told: [
      `[news from the background]\n${doneText("a1", "it is done")}`,
      `[news from the background]\n${doneText("a4", "took 5")}`,
      `[news from the background]\n${doneText("a3", "took 30")}`,
    ],
    asked: ["a3", "a4"],
    notes: ["a1", "begun a4", "a4", "a3"],
  });
});

test("what was asked, refused, begun and told is read back as they were written; other lines are none", () => {
  const request = {
    task: "x",
    context: "full",
    model: "m/n",
    isolation: "workspace",
    writeScope: [],
    background: true,
  } as const;
  const at = { parent: top, seq: 1, callId: asCallId("c"), turn: 2, index: 3, queuedAtMs: 4 };
  const entries = [
    { kind: "asked", asked: { child: asAgentId("a1"), ...at, request } },
    { kind: "refused", refused: { ...at, reason: "no" } },
    { kind: "begun", child: asAgentId("a1") },
    { kind: "told", child: asAgentId("a1") },
  ] as const;
  const lines = entries.map(childLine);
  expect([
    lines.map(readChildLine),
    readChildLine(lines[0]?.slice(0, -9) ?? ""),
    readChildLine('{"type":"told"}'),
  ]).toEqual([entries, null, null]);
});
