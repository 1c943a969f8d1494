// An agent with hooks around its calls: what they may hold up, change and end, and that nothing else changes for them.

import { expect, test } from "vitest";
import { asCallId } from "../base/ids.ts";
import type { ToolResult } from "../model/message.ts";
import { call, calling, type RigOptions, rig, saying, textTool, tool } from "../testing/agent/rig.ts";
import type { AfterCall, BeforeCall, CallHooks, HookedCall, HookRun } from "./call-hooks.ts";
import { CLAIMS_NOTHING } from "./claim.ts";
import { runAgent } from "./loop.ts";
import { RunningCalls } from "./running-calls.ts";
import type { AgentPorts } from "./spec.ts";
import type { Tool } from "./tool.ts";
import type { CallTrace } from "./trace.ts";

const go = (input: unknown, context = ""): BeforeCall => ({ kind: "go", input, decision: null, context });

interface Behaviour {
  readonly before?: (call: HookedCall, signal: AbortSignal) => Promise<BeforeCall> | BeforeCall;
  readonly after?: (call: HookedCall, result: ToolResult) => Promise<AfterCall> | AfterCall;
  readonly stop?: (text: string) => string | null;
}

/** Hooks of a test, and what they were asked, in order. */
function hooks({ before, after, stop }: Behaviour) {
  const seen: string[] = [];
  const ran = (event: string, { call: { id } }: HookedCall): readonly HookRun[] => [
    { event, command: id, outcome: "ok", exitCode: 0, startMs: 0, durationMs: 1 },
  ];
  const port: CallHooks = {
    looksAtCalls: true,
    beforeCall: async (one, signal) => {
      seen.push(`before ${one.call.id}`);
      const given = one.call.arguments.kind === "parsed" ? one.call.arguments.value : null;
      return { ...((await before?.(one, signal)) ?? go(given)), runs: ran("PreToolUse", one) };
    },
    afterCall: async (one, { result }) => {
      seen.push(`after ${one.call.id}`);
      return { ...((await after?.(one, result)) ?? { context: "", end: null }), runs: ran("PostToolUse", one) };
    },
    beforeStop: async (text) => {
      const reason = stop?.(text) ?? null;
      return reason === null ? { kind: "stop" } : { kind: "go-on", reason };
    },
    beforeCompaction: async () => true,
    afterCompaction: async () => "",
  };
  return { port, seen };
}

async function run(options: RigOptions, behaviour: Behaviour, more: Partial<AgentPorts> = {}) {
  const one = rig(options);
  const { port, seen } = hooks(behaviour);
  const traced: CallTrace[] = [];
  const trace = {
    request: () => {},
    call: (_who: unknown, record: CallTrace) => void traced.push(record),
    hooks: () => {},
  };
  const running = runAgent(one.spec, { ...one.ports, hooks: port, trace, ...more });
  const results = (): readonly ToolResult[] =>
    one.provider.requests.flatMap(({ messages }) =>
      messages.flatMap((said) => (said.role === "tool" ? said.results : [])),
    );
  return { ...one, running, seen, traced, results };
}

const echo = textTool("echo", "read", (input) => JSON.stringify(input));

test("H24 with hooks reads run together, each call is seen once, and records come in request order", async () => {
  let running = 0;
  let most = 0;
  const all = Promise.withResolvers<void>();
  const reads = tool("reads", "read", async () => {
    most = Math.max(most, ++running);
    // Each waits for all three: one after another they would never end.
    if (running === 3) all.resolve();
    await all.promise;
    return { kind: "text", text: "read" };
  });
  const slow = Promise.withResolvers<void>();
  const calls = ["c1", "c2", "c3"].map((id) => call(id, "reads"));
  const {
    running: ended,
    seen,
    traced,
  } = await run(
    { answers: [calling(...calls), saying("done")], tools: [reads] },
    {
      before: async ({ call: { id, arguments: given } }) => {
        // The first is held up until the last has been asked about.
        if (id === "c3") slow.resolve();
        if (id === "c1") await slow.promise;
        return go(given);
      },
    },
  );
  await ended;
  expect(most).toBe(3);
  expect(seen.toSorted()).toEqual(["after c1", "after c2", "after c3", "before c1", "before c2", "before c3"]);
  expect(traced.map(({ index, callId, hooks: runs }) => [index, callId, runs.map(({ event }) => event)])).toEqual([
    [0, "c1", ["PreToolUse", "PostToolUse"]],
    [1, "c2", ["PreToolUse", "PostToolUse"]],
    [2, "c3", ["PreToolUse", "PostToolUse"]],
  ]);
});

test("H10 an abort while one call is in its hook starts neither it nor another that is prepared", async () => {
  const asked = Promise.withResolvers<void>();
  const started: string[] = [];
  const writes = tool("writes", "exclusive", async (input) => {
    started.push(JSON.stringify(input));
    return { kind: "text", text: "" };
  });
  const { running, abort, results, provider } = await run(
    { answers: [calling(call("c1", "writes"), call("c2", "writes"))], tools: [writes] },
    {
      before: (_call, signal) => {
        asked.resolve();
        return new Promise((resolve) => signal.addEventListener("abort", () => resolve(go({}))));
      },
    },
  );
  await asked.promise;
  abort.abort();
  const ended = await running;
  expect([ended.kind, started, provider.requests.length, results()]).toEqual(["cancelled", [], 1, []]);
  expect(ended.messages.at(-1)).toEqual({
    role: "tool",
    results: ["c1", "c2"].map((callId) => ({
      callId,
      name: "writes",
      text: "cancelled: the call was not started",
      isError: true,
    })),
  });
});

test("H11 a call that the person cancels is told to its hook as such, and its sibling goes on", async () => {
  const running = new RunningCalls();
  const started = Promise.withResolvers<void>();
  const waits = tool("waits", "read", (_input, { signal }) => {
    started.resolve();
    return new Promise((resolve) =>
      signal.addEventListener("abort", () => resolve({ kind: "cancelled", text: "stopped" })),
    );
  });
  const one = await run(
    { answers: [calling(call("c1", "waits"), call("c2", "echo", {})), saying("done")], tools: [waits, echo] },
    { after: (_call, { text }) => ({ context: `after ${text}`, end: null }) },
    { running },
  );
  await started.promise;
  running.cancel(one.spec.agent, asCallId("c1"));
  await one.running;
  expect(one.results().map(({ text }) => text)).toEqual(["stopped\n\nafter stopped", "{}\n\nafter {}"]);
});

test("H13 a call that a hook refuses has the reason as its result, and its siblings run", async () => {
  const { running, results, seen } = await run(
    { answers: [calling(call("c1", "echo", { n: 1 }), call("c2", "echo", { n: 2 })), saying("done")], tools: [echo] },
    { before: ({ call: { id } }) => (id === "c1" ? { kind: "refuse", reason: "not on a Friday" } : go({ n: 2 })) },
  );
  await running;
  expect(results().map(({ text, isError }) => [text, isError])).toEqual([
    ["not run: a hook refused it: not on a Friday", true],
    ['{"n":2}', false],
  ]);
  expect(seen).not.toContain("after c1");
});

test("a hook changes the arguments that are claimed and run, and what hooks say stands below the result", async () => {
  const claimed: unknown[] = [];
  const changed: Tool = {
    ...echo,
    claim: async (input) => {
      claimed.push(input);
      return CLAIMS_NOTHING;
    },
  };
  const { running, results } = await run(
    { answers: [calling(call("c1", "echo", { path: "a" })), saying("done")], tools: [changed] },
    { before: () => go({ path: "b" }, "before it"), after: () => ({ context: "after it", end: null }) },
  );
  await running;
  expect(claimed).toEqual([{ path: "b" }]);
  expect(results().map(({ text }) => text)).toEqual(['{"path":"b"}\n\nbefore it\n\nafter it']);
});

test("what a hook does after a write is done before the next call on the file begins", async () => {
  const order: string[] = [];
  const write = tool("write", "write", async () => {
    order.push("write");
    return { kind: "text", text: "written" };
  });
  const { running } = await run(
    { answers: [calling(call("c1", "write"), call("c2", "write")), saying("done")], tools: [write] },
    {
      after: async ({ call: { id } }) => {
        await Promise.resolve();
        order.push(`formatted ${id}`);
        return { context: "", end: null };
      },
    },
  );
  await running;
  expect(order).toEqual(["write", "formatted c1", "write", "formatted c2"]);
});

test("a hook that ends the agent lets the response's results stand, and the rest is not begun", async () => {
  const { running, provider } = await run(
    { answers: [calling(call("c1", "one"), call("c2", "one"))], tools: [textTool("one", "exclusive", "ran")] },
    { after: () => ({ context: "", end: "enough for today" }) },
  );
  const ended = await running;
  expect([ended.kind, ended.kind === "hook" && ended.reason, provider.requests.length]).toEqual([
    "hook",
    "enough for today",
    1,
  ]);
  const last = ended.messages.at(-1);
  expect(last?.role === "tool" && last.results.map(({ text }) => text)).toEqual([
    "ran",
    "not run: a hook ended the session after an earlier call of this answer",
  ]);
});

test("a hook keeps the agent from ending until it is content", async () => {
  const { running, provider } = await run(
    { answers: [saying("done"), saying("now it is")] },
    { stop: (text) => (text === "done" ? "the tests fail" : null) },
  );
  const ended = await running;
  expect(ended.kind === "stopped" && ended.text).toBe("now it is");
  expect(provider.requests[1]?.messages.slice(1)).toEqual([
    { role: "assistant", text: "done", calls: [] },
    { role: "user", text: "the tests fail" },
  ]);
});
