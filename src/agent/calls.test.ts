// The calls of one response, as a provider sees them afterwards: each has exactly one result, in request order, whatever happened.

import { expect, test } from "vitest";
import { asCallId } from "../base/ids.ts";
import type { ToolCall, ToolResult } from "../model/message.ts";
import { call, calling, type RigOptions, rig, saying, textTool, tool, USAGE } from "../testing/agent/rig.ts";
import { runAgent } from "./loop.ts";
import type { Tool } from "./tool.ts";

/** Runs one response with these calls; answers its results as they stand in the next request. */
async function resultsOf(calls: readonly ToolCall[], tools: readonly Tool[], options: Partial<RigOptions> = {}) {
  const one = rig({ answers: [calling(...calls), saying("done")], tools, ...options });
  const ended = await runAgent(one.spec, one.ports);
  const sent = one.provider.requests[1]?.messages.at(-1);
  const results = sent?.role === "tool" ? sent.results : [];
  const recorded = one.entries.flatMap((entry) => (entry.kind === "result" ? [entry] : []));
  return { ...one, ended, results, recorded };
}

function result(callId: string, name: string, text: string, isError = false): ToolResult {
  return { callId: asCallId(callId), name, text, isError };
}

const echo = textTool("echo", "read", (input) => JSON.stringify(input));
const fails = tool("fails", "read", async () => ({ kind: "error", text: "exit code 1" }));

test("H1 one failing call of 27 leaves the others their own results", async () => {
  const calls = Array.from({ length: 27 }, (_, n) => call(`c${n}`, n === 13 ? "fails" : "echo", { n }));
  const { results } = await resultsOf(calls, [echo, fails]);
  expect(results).toEqual(
    calls.map((one, n) =>
      n === 13 ? result("c13", "fails", "exit code 1", true) : result(one.id, "echo", `{"n":${n}}`),
    ),
  );
});

test("H4 refused and malformed calls have exactly one result each, between the others", async () => {
  const cut: ToolCall = { id: asCallId("c2"), name: "echo", arguments: { kind: "malformed", text: '{"path": "a' } };
  const { results, recorded } = await resultsOf([call("c1", "nope"), cut, call("c3", "echo", { n: 3 })], [echo]);
  expect({ results, outcomes: recorded.map((entry) => entry.outcome) }).toEqual({
    results: [
      result("c1", "nope", 'not run: there is no tool "nope". The tools are: echo', true),
      result("c2", "echo", 'not run: the arguments are not valid JSON: {"path": "a', true),
      result("c3", "echo", '{"n":3}'),
    ],
    outcomes: ["refused", "refused", "ok"],
  });
});

test("H6 calls that finish in the order 3, 1, 2 are recorded and sent in the order 1, 2, 3", async () => {
  const gates = new Map([1, 2, 3].map((n) => [n, Promise.withResolvers<void>()]));
  const finished: number[] = [];
  const waits = tool("waits", "read", async (input) => {
    const { n } = input as { n: number };
    await gates.get(n)?.promise;
    finished.push(n);
    gates.get(n === 3 ? 1 : 2)?.resolve();
    return { kind: "text", text: `n ${n}` };
  });
  gates.get(3)?.resolve();
  const { results, recorded } = await resultsOf(
    [1, 2, 3].map((n) => call(`c${n}`, "waits", { n })),
    [waits],
  );
  expect({ finished, results, recorded: recorded.map((entry) => [entry.index, entry.result.callId]) }).toEqual({
    finished: [3, 1, 2],
    results: [result("c1", "waits", "n 1"), result("c2", "waits", "n 2"), result("c3", "waits", "n 3")],
    recorded: [
      [0, "c1"],
      [1, "c2"],
      [2, "c3"],
    ],
  });
});

test("H6 a write waits for the reads before it, and reads after it wait for the write", async () => {
  const seen: string[] = [];
  const step = (name: string, effect: "read" | "write") =>
    tool(name, effect, async (input) => {
      seen.push(`start ${JSON.stringify(input)}`);
      for (let turn = 0; turn < 5; turn++) await Promise.resolve();
      seen.push(`end ${JSON.stringify(input)}`);
      return { kind: "text", text: "" };
    });
  const calls = [call("c1", "r", 1), call("c2", "r", 2), call("c3", "w", 3), call("c4", "r", 4)];
  await resultsOf(calls, [step("r", "read"), step("w", "write")]);
  expect(seen).toEqual(["start 1", "start 2", "end 1", "end 2", "start 3", "end 3", "start 4", "end 4"]);
});

test("H8 duplicate calls get a result each, and repeated ids are told apart", async () => {
  const { results, provider } = await resultsOf([call("c", "echo", { n: 1 }), call("c", "echo", { n: 1 })], [echo]);
  const asked = provider.requests[1]?.messages.at(-2);
  expect({ results, ids: asked?.role === "assistant" ? asked.calls.map((one) => one.id) : [] }).toEqual({
    results: [result("c", "echo", '{"n":1}'), result("c-2", "echo", '{"n":1}')],
    ids: ["c", "c-2"],
  });
});

test("H9 each long result is capped, and its full text is saved", async () => {
  const long = textTool("long", "read", "x".repeat(900_000));
  const calls = Array.from({ length: 7 }, (_, n) => call(`c${n}`, "long"));
  const { results, spilled } = await resultsOf(calls, [long]);
  expect({
    chars: results.map((one) => one.text.length <= 30_000),
    named: results.map((one) => /\/spill\/\d\.txt/.test(one.text)),
    spilled: spilled.map((text) => text.length),
  }).toEqual({ chars: Array(7).fill(true), named: Array(7).fill(true), spilled: Array(7).fill(900_000) });
});

test("a tool that throws gives an error result and an event, and the others go on", async () => {
  const broken = tool("broken", "read", async () => Promise.reject(new Error("undefined is not a function")));
  const { results, recorded, events } = await resultsOf([call("c1", "broken"), call("c2", "echo")], [broken, echo]);
  expect({
    results: results.map((one) => [one.text.split("\n")[0], one.isError]),
    outcomes: recorded.map((entry) => entry.outcome),
    events: events.filter((event) => event.kind === "internal-error").length,
  }).toEqual({
    results: [
      ["internal error in broken: undefined is not a function", true],
      ["{}", false],
    ],
    outcomes: ["internal-error", "ok"],
    events: 1,
  });
});

test("H21 a fault of the environment is recorded apart from errors", async () => {
  const missing = tool("missing", "read", async () => ({ kind: "fault", text: "environment fault: rg was not found" }));
  const { recorded } = await resultsOf([call("c1", "missing"), call("c2", "fails")], [missing, fails]);
  expect(recorded.map(({ outcome, result: { isError } }) => [outcome, isError])).toEqual([
    ["fault", true],
    ["error", true],
  ]);
});

test("calls after one that ends the run are not started", async () => {
  const finish = tool("finish", "exclusive", async (input) => ({ kind: "end", text: "good bye", value: input }));
  const calls = [call("c1", "echo"), call("c2", "finish", { n: 2 }), call("c3", "echo")];
  const { ended, recorded } = await resultsOf(calls, [echo, finish]);
  expect({
    kind: ended.kind,
    value: ended.kind === "ended" ? ended.value : null,
    outcomes: recorded.map((entry) => entry.outcome),
    last: ended.messages.at(-1),
  }).toEqual({
    kind: "ended",
    value: { n: 2 },
    outcomes: ["ok", "ended", "skipped"],
    last: {
      role: "tool",
      results: [
        result("c1", "echo", "{}"),
        result("c2", "finish", "good bye"),
        result("c3", "echo", "not run: an earlier call of this answer ended the session", true),
      ],
    },
  });
});

test("H12 a cancelled run stops what runs, starts nothing, and gives every call a result", async () => {
  const one = rig({
    answers: [calling(call("c1", "slow"), call("c2", "echo"))],
    tools: [
      echo,
      tool("slow", "exclusive", (_input, { signal }) => {
        const { promise, resolve } = Promise.withResolvers<{ kind: "cancelled"; text: string }>();
        signal.addEventListener("abort", () => resolve({ kind: "cancelled", text: "aborted" }));
        one.abort.abort();
        return promise;
      }),
    ],
  });
  const { kind, messages } = await runAgent(one.spec, one.ports);
  expect({ kind, last: messages.at(-1) }).toEqual({
    kind: "cancelled",
    last: {
      role: "tool",
      results: [
        result("c1", "slow", "aborted", true),
        result("c2", "echo", "cancelled: the call was not started", true),
      ],
    },
  });
});

test("H12 a tool that does not hear the abort is left behind, and its result says what is not known", async () => {
  const one = rig({
    answers: [calling(call("c1", "deaf"))],
    tools: [
      tool("deaf", "exclusive", () => {
        one.abort.abort();
        return new Promise(() => {});
      }),
    ],
  });
  const running = runAgent(one.spec, one.ports);
  for (let turn = 0; turn < 100; turn++) await Promise.resolve();
  one.clock.move(5_000);
  const { kind, messages } = await running;
  const text = "cancelled: the tool was told to stop and did not answer in time. It may or may not have taken effect.";
  expect({ kind, last: messages.at(-1) }).toEqual({
    kind: "cancelled",
    last: { role: "tool", results: [result("c1", "deaf", text, true)] },
  });
});

test("an answer cut off by the output limit runs its whole calls and refuses the cut one", async () => {
  const cut: ToolCall = { id: asCallId("c2"), name: "echo", arguments: { kind: "malformed", text: '{"pa' } };
  const answers = [
    [
      { kind: "call", call: call("c1", "echo") },
      { kind: "call", call: cut },
      { kind: "done", stop: "length", usage: USAGE },
    ],
    saying("done"),
  ] as const;
  const { results } = await resultsOf([], [echo], { answers, limits: { outputTokensMax: 64 } });
  const text =
    "not run: your answer reached the output limit of 64 tokens and this call was cut off. Send it again in smaller pieces.";
  expect(results).toEqual([result("c1", "echo", "{}"), result("c2", "echo", text, true)]);
});
