// Delegation on a simulated clock: children run together and in order, keep their limits, end with their parent, and each result reaches
// its parent exactly once.

import { expect, test } from "vitest";
import { asAgentId, asCallId } from "../base/ids.ts";
import type { ModelRequest } from "../model/provider.ts";
import { type Answered, delegate, done, familyRig, parentOf, resultsOf } from "../testing/agent/family-rig.ts";
import { call, tool } from "../testing/agent/rig.ts";

test("children of 2, 3 and 5 s take 5 s together, start in the order asked, and one after another take 10 s", async () => {
  const seconds = [2, 3, 5];
  const answering = parentOf(
    seconds.map((s, n) => delegate(`c${n}`, `${s}`)),
    (task) => ({ afterMs: Number(task) * 1_000, say: `took ${task}` }),
  );
  const measure = async (callsAtOnceMax: number) => {
    const rig = familyRig({ answering, agentLimits: { callsAtOnceMax } });
    const result = await rig.toEnd();
    const { records } = rig;
    return {
      results: resultsOf(result),
      order: records.map(({ child }) => child),
      concurrent: records.map(({ concurrent }) => concurrent),
      spanMs: Math.max(...records.map(({ endedAtMs }) => endedAtMs)) - Number(records[0]?.startedAtMs),
      outcomes: records.map(({ outcome }) => outcome),
    };
  };
  const results = [done("a1", "took 2"), done("a2", "took 3"), done("a3", "took 5")];
  const together = { order: ["a1", "a2", "a3"], outcomes: ["done", "done", "done"], results };
  expect([await measure(10), await measure(1)]).toEqual([
    { ...together, concurrent: [1, 2, 3], spanMs: 5_000 },
    { ...together, concurrent: [1, 1, 1], spanMs: 10_000 },
  ]);
});

test("H19 more children than places queue, start in order, and one that is over holds no place", async () => {
  const tasks = ["3", "1", "1", "1"];
  const rig = familyRig({
    answering: parentOf(
      tasks.map((s, n) => delegate(`c${n}`, s)),
      (task) => ({ afterMs: Number(task) * 1_000, say: "ok" }),
    ),
    limits: { childrenAtOnceMax: 2 },
  });
  await rig.toEnd();
  const started = rig.events.flatMap((event) =>
    event.kind === "child-started" ? [[event.child, event.concurrent, event.atMs]] : [],
  );
  const from = Number(started[0]?.[2]);
  expect(started.map(([child, concurrent, atMs]) => [child, concurrent, Number(atMs) - from])).toEqual([
    ["a1", 1, 0],
    ["a2", 2, 0],
    ["a3", 2, 1_000],
    ["a4", 2, 2_000],
  ]);
});

test("H19 H20 beyond the run's children, its depth and its models a call is refused in words, and the others go on", async () => {
  const calls = [
    delegate("c0", "deeper"),
    delegate("c1", "x", { model: "other/model" }),
    delegate("c2", "y"),
    delegate("c3", "z"),
  ];
  const rig = familyRig({
    answering: parentOf(calls, (task, { context }) =>
      task === "deeper" && context.turn === 1 ? { calls: [delegate("d", "again")] } : { say: `did ${task}` },
    ),
    limits: { childrenMax: 2 },
  });
  const result = await rig.toEnd();
  expect({
    results: resultsOf(result),
    child: rig.requests.find(({ context }) => context.agent === "a1" && context.turn === 2)?.messages.at(-1),
    refused: rig.records
      .filter(({ outcome }) => outcome === "refused")
      .map(({ seq, callId, child, parent }) => [seq, callId, child, parent]),
  }).toEqual({
    results: [
      done("a1", "did deeper"),
      ['not delegated: the model "other/model" is not one of this run; it has: test/model', true],
      done("a2", "did y"),
      ["not delegated: this run has had its 2 children: do the rest yourself", true],
    ],
    child: {
      role: "tool",
      results: [
        {
          callId: "d",
          name: "delegate_task",
          text: "not delegated: a child cannot delegate: do the work yourself",
          isError: true,
        },
      ],
    },
    refused: [
      [2, "c1", null, "a0"],
      [4, "c3", null, "a0"],
      [5, "d", null, "a1"],
    ],
  });
});

test("H16 H17 what failed, hit a limit or hung is told apart, and what was finished is kept", async () => {
  const error = { kind: "model", code: "overloaded", message: "try later", retryAfterMs: null } as const;
  const answers: Record<string, (request: ModelRequest) => Answered> = {
    good: () => ({ afterMs: 10, say: "found it" }),
    error: () => ({ error }),
    turns: ({ context }) => ({
      say: `step ${context.turn}`,
      calls: [call(`t${context.turn}`, "look", { n: context.turn })],
    }),
    hangs: () => ({ afterMs: 3_600_000 }),
    silent: () => ({ calls: [call("s", "look")] }),
  };
  const rig = familyRig({
    answering: parentOf(
      ["good", "error", "turns", "hangs", "good"].map((task, n) => delegate(`c${n}`, task)),
      (task, request) => answers[task]?.(request) ?? { say: "?" },
    ),
    limits: { childMsMax: 60_000, childTurnsMax: 2 },
    tools: () => [tool("look", "read", async () => ({ kind: "text", text: "nothing" }))],
  });
  const result = await rig.toEnd();
  expect({
    results: resultsOf(result),
    outcomes: rig.records.map(({ seq, outcome }) => [seq, outcome]).sort(),
  }).toEqual({
    results: [
      done("a1", "found it"),
      ["child a2 failed: the model failed (overloaded): try later", true],
      [
        "child a3 reached a limit before it was done: turn_limit: 2 model requests\n\nWhat it had said last:\nstep 2",
        true,
      ],
      ["child a4 reached a limit before it was done: time_limit: 60 s", true],
      done("a5", "found it"),
    ],
    outcomes: [
      [1, "done"],
      [2, "failed"],
      [3, "limit"],
      [4, "limit"],
      [5, "done"],
    ],
  });
});

test("H10 H12 an aborted parent ends its children, running and queued: nothing starts after it, what was done is kept", async () => {
  let started = 0;
  const rig = familyRig({
    answering: parentOf(
      ["quick", "shell", "queued"].map((task, n) => delegate(`c${n}`, task)),
      (task) => (task === "quick" ? { say: "quick is done" } : { calls: [call("s", "shell")] }),
    ),
    limits: { childrenAtOnceMax: 2 },
    tools: ({ clock }) => [
      tool("shell", "exclusive", async (_input, { signal }) => {
        started += 1;
        clock.after(1_000, () => rig.abort.abort());
        await clock.sleep(75_000, signal);
        return signal.aborted ? { kind: "cancelled", text: "aborted after 1 s" } : { kind: "text", text: "slept" };
      }),
    ],
  });
  const result = await rig.toEnd();
  const endedMs =
    Math.max(...rig.records.map(({ endedAtMs }) => endedAtMs)) -
    Math.min(...rig.records.map(({ queuedAtMs }) => queuedAtMs));
  expect({
    kind: result.kind,
    results: resultsOf(result),
    started,
    endedMs,
    outcomes: rig.records.map(({ child, outcome }) => [child, outcome]).sort(),
  }).toEqual({
    kind: "cancelled",
    results: [
      done("a1", "quick is done"),
      ["child a2 was cancelled: it was aborted before it was done", true],
      ["child a3 was cancelled: it was aborted before it was done", true],
    ],
    // The third got the place of the first, and waited for the tree.
    started: 1,
    endedMs: 1_000,
    outcomes: [
      ["a1", "done"],
      ["a2", "cancelled"],
      ["a3", "cancelled"],
    ],
  });
});

test("H11 one call of a child is cancelled: its siblings, the child and the parent go on", async () => {
  const rig = familyRig({
    answering: parentOf([delegate("c0", "two calls")], (task, { context }) =>
      context.turn === 1
        ? { calls: [call("x", "wait", { ms: 50_000 }), call("y", "wait", { ms: 20 })] }
        : { say: `did ${task}` },
    ),
    tools: ({ clock }) => [
      tool("wait", "read", async (input, { signal }) => {
        const { ms } = input as { ms: number };
        if (ms === 20) clock.after(10, () => rig.running.cancel(asAgentId("a1"), asCallId("x")));
        await clock.sleep(ms, signal);
        return signal.aborted ? { kind: "cancelled", text: "cancelled" } : { kind: "text", text: `${ms}` };
      }),
    ],
  });
  const result = await rig.toEnd();
  const results = (rig.entries.get(asAgentId("a1")) ?? []).flatMap((entry) =>
    entry.kind === "result" ? [[entry.result.callId, entry.outcome]] : [],
  );
  expect({ kind: result.kind, parent: resultsOf(result), results }).toEqual({
    kind: "stopped",
    parent: [done("a1", "did two calls")],
    results: [
      ["x", "cancelled"],
      ["y", "ok"],
    ],
  });
});
