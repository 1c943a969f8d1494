// A session that goes on with the calls of its last answer: which are run again, which stand, and what a transcript says of its end.

import { expect, test } from "vitest";
import { asAgentId, asCallId } from "../base/ids.ts";
import { unwrap } from "../base/result.ts";
import type { Files } from "../host/files.ts";
import type { Message, ToolCall, ToolResult } from "../model/message.ts";
import { call, calling, type Rig, type RigOptions, rig, saying, textTool, tool, USAGE } from "../testing/agent/rig.ts";
import { simHost } from "../testing/sim/host.ts";
import { runAgent } from "./loop.ts";
import type { PendingCalls } from "./session-history.ts";
import { type LoadedSession, loadSession } from "./session-load.ts";
import { openSessionLog } from "./session-log.ts";
import type { AgentResult } from "./spec.ts";

const path = "/a1.jsonl";
const owner = { agent: asAgentId("a1"), parent: null };
const GO: Message = { role: "user", text: "go" };

function result(callId: string, name: string, text: string, isError = false): ToolResult {
  return { callId: asCallId(callId), name, text, isError };
}

/** A pending answer of turn 3 with these calls, as options of a rig. */
function pendingAnswer(
  calls: readonly ToolCall[],
  results: ReadonlyMap<number, ToolResult>,
): { readonly messages: readonly Message[]; readonly pending: PendingCalls } {
  return {
    messages: [GO, { role: "assistant", text: "", calls }],
    pending: { turn: 3, calls, results, cut: false },
  };
}

/** Runs a rig with its transcript in `files`. */
async function recordedRun(files: Files, one: Rig): Promise<AgentResult> {
  const record = unwrap(await openSessionLog(files, path, owner), "open");
  const ended = await runAgent(one.spec, { ...one.ports, record });
  unwrap(await record.close(), "close");
  return ended;
}

async function load(files: Files): Promise<LoadedSession> {
  return unwrap(await loadSession(files, path, { lostCalls: "pending" }), "load");
}

/** A rig that goes on with what was loaded. */
function resumed({ messages, pending }: LoadedSession, options: RigOptions): Rig {
  return rig({ ...options, messages, ...(pending === null ? {} : { pending }) });
}

/** Index, outcome and text of each result in the transcript. */
async function resultLines(files: Files): Promise<readonly (readonly unknown[])[]> {
  const text = Buffer.from(unwrap(await files.read(path, 1_000_000), "read")).toString("utf8");
  const lines = text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  return lines.flatMap((line) => (line.type === "result" ? [[line.index, line.outcome, line.text]] : []));
}

test("H5 pending calls run once each, in request order, and those with results are neither run nor recorded again", async () => {
  const ran: unknown[] = [];
  const acts = tool("acts", "exclusive", async (input) => {
    ran.push(input);
    return { kind: "text", text: `did ${String(input)}` };
  });
  const calls = [1, 2, 3, 4].map((n) => call(`c${n}`, "acts", n));
  const given = new Map([
    [0, result("c1", "acts", "recorded 1")],
    [2, result("c3", "acts", "recorded 3", true)],
  ]);
  const one = rig({ answers: [saying("done")], tools: [acts], ...pendingAnswer(calls, given) });
  const { kind, requests, turn } = await runAgent(one.spec, one.ports);
  expect({
    ran,
    ending: { kind, requests, turn },
    recorded: one.entries.map((entry) => (entry.kind === "result" ? [entry.turn, entry.index] : entry.kind)),
    asked: one.provider.requests.map((request) => [request.context.turn, request.messages.at(-1)]),
    told: one.events.flatMap((event) => (event.kind === "call-ended" ? [event.result.callId] : [])),
  }).toEqual({
    ran: [2, 4],
    ending: { kind: "stopped", requests: 1, turn: 4 },
    recorded: ["start", "call", [3, 1], "call", [3, 3], "request", "message", "end"],
    asked: [
      [
        4,
        {
          role: "tool",
          results: [
            result("c1", "acts", "recorded 1"),
            result("c2", "acts", "did 2"),
            result("c3", "acts", "recorded 3", true),
            result("c4", "acts", "did 4"),
          ],
        },
      ],
    ],
    told: ["c2", "c4"],
  });
});

test("a read that was cancelled runs again, the one beside it that had answered does not", async () => {
  const { files } = simHost({ seed: 1 });
  const ran: string[] = [];
  const slow = tool("slow", "read", (_input, { signal }) => {
    ran.push("slow");
    const { promise, resolve } = Promise.withResolvers<{ kind: "cancelled"; text: string }>();
    signal.addEventListener("abort", () => resolve({ kind: "cancelled", text: "aborted" }));
    return promise;
  });
  const first = rig({
    answers: [calling(call("c1", "slow"), call("c2", "fast"), call("c3", "late"))],
    tools: [
      slow,
      tool("fast", "read", async () => {
        ran.push("fast");
        setImmediate(() => first.abort.abort());
        return { kind: "text", text: "fast" };
      }),
      textTool("late", "exclusive", "late"),
    ],
  });
  await recordedRun(files, first);
  const before = await load(files);
  const again = textTool("slow", "read", "slow, whole");
  const next = resumed(before, { answers: [saying("done")], tools: [again, ...first.spec.tools.slice(1)] });
  const ended = await recordedRun(files, next);
  const after = await load(files);
  expect({
    stood: [...(before.pending?.results.keys() ?? [])],
    ran,
    results: ended.messages[2],
    after: { messages: after.messages, pending: after.pending },
    lines: await resultLines(files),
  }).toEqual({
    stood: [1],
    ran: ["slow", "fast"],
    results: {
      role: "tool",
      results: [result("c1", "slow", "slow, whole"), result("c2", "fast", "fast"), result("c3", "late", "late")],
    },
    after: { messages: ended.messages, pending: null },
    lines: [
      [0, "cancelled", "aborted"],
      [1, "ok", "fast"],
      [2, "cancelled", "cancelled: the call was not started"],
      [0, "ok", "slow, whole"],
      [2, "ok", "late"],
    ],
  });
});

test("a call that ended the session runs again and ends it again, the skipped ones after it too", async () => {
  const { files } = simHost({ seed: 1 });
  let ends = 0;
  const finish = tool("finish", "exclusive", async (input) => ({ kind: "end", text: `end ${++ends}`, value: input }));
  const tools = [textTool("look", "read", "seen"), finish];
  const calls = [call("c1", "look"), call("c2", "finish", { n: 7 }), call("c3", "look")];
  await recordedRun(files, rig({ answers: [calling(...calls)], tools }));
  const before = await load(files);
  const next = resumed(before, { answers: [], tools });
  const { kind, requests, messages, ...rest } = await recordedRun(files, next);
  const told = unwrap(await loadSession(files, path), "load as interrupted");
  expect({
    stood: before.pending?.results,
    ending: { kind, requests, value: "value" in rest ? rest.value : null },
    last: messages.at(-1),
    told: { messages: told.messages, interrupted: told.interrupted },
    lines: await resultLines(files),
  }).toEqual({
    stood: new Map([[0, result("c1", "look", "seen")]]),
    ending: { kind: "ended", requests: 0, value: { n: 7 } },
    last: {
      role: "tool",
      results: [
        result("c1", "look", "seen"),
        result("c2", "finish", "end 2"),
        result("c3", "look", "not run: an earlier call of this answer ended the session", true),
      ],
    },
    told: { messages, interrupted: 0 },
    lines: [
      [0, "ok", "seen"],
      [1, "ended", "end 1"],
      [2, "skipped", "not run: an earlier call of this answer ended the session"],
      [1, "ended", "end 2"],
      [2, "skipped", "not run: an earlier call of this answer ended the session"],
    ],
  });
});

test("a run of pending calls that is cancelled leaves them pending", async () => {
  const { files } = simHost({ seed: 1 });
  const acts = textTool("acts", "exclusive", "done");
  for (const ready of [false, true]) {
    const before = ready ? await load(files) : null;
    const one =
      before === null
        ? rig({ answers: [calling(call("c1", "acts"))], tools: [acts] })
        : resumed(before, { answers: [], tools: [acts] });
    if (ready) one.abort.abort();
    const ports = { ...one.ports, afterRequest: async () => one.abort.abort() };
    const record = unwrap(await openSessionLog(files, path, owner), "open");
    await runAgent(one.spec, { ...ports, record });
    await record.close();
  }
  const { pending, turns } = await load(files);
  expect({ pending, turns, lines: (await resultLines(files)).map(([, outcome]) => outcome) }).toEqual({
    pending: { turn: 1, calls: [call("c1", "acts")], results: new Map(), cut: false },
    turns: 1,
    lines: ["cancelled", "cancelled"],
  });
});

test("H4 a pending call that the output limit had cut off is refused for that reason, never run as empty", async () => {
  const { files } = simHost({ seed: 1 });
  const cut: ToolCall = { id: asCallId("c2"), name: "acts", arguments: { kind: "malformed", text: '{"pa' } };
  const acts = textTool("acts", "write", (input) => JSON.stringify(input));
  const first = rig({
    answers: [
      [
        { kind: "call", call: call("c1", "acts", { n: 1 }) },
        { kind: "call", call: cut },
        { kind: "done", stop: "length", usage: USAGE },
      ],
    ],
    tools: [acts],
  });
  await recordedRun(files, { ...first, ports: { ...first.ports, afterRequest: async () => first.abort.abort() } });
  const next = resumed(await load(files), { answers: [saying("done")], tools: [acts] });
  const { messages } = await recordedRun(files, next);
  expect(messages[2]).toEqual({
    role: "tool",
    results: [
      result("c1", "acts", '{"n":1}'),
      result(
        "c2",
        "acts",
        "not run: your answer reached the output limit and this call was cut off. Send it again in smaller pieces.",
        true,
      ),
    ],
  });
});

test("what cannot be recorded is not run again either", async () => {
  let ran = 0;
  const acts = tool("acts", "write", async () => ({ kind: "text", text: String(ran++) }));
  const one = rig({ answers: [], tools: [acts], ...pendingAnswer([call("c1", "acts")], new Map()) });
  const error = { kind: "file", code: "no-space", path, message: "no space left" } as const;
  const record = { append: async () => ({ ok: false, error }) as const };
  const { kind } = await runAgent(one.spec, { ...one.ports, record });
  expect({ kind, ran }).toEqual({ kind: "record-failed", ran: 0 });
});

test("a transcript's end says whether to ask, to run calls, or that the model had its last word", async () => {
  const error = { kind: "model", code: "overloaded", message: "try later", retryAfterMs: null } as const;
  const look = textTool("look", "read", "seen");
  const looks = calling(call("c1", "look"));
  const stopped = rig({ answers: [looks, saying("unsaid")], tools: [look] });
  const ends: Record<string, Rig> = {
    "the model's error": rig({ answers: [looks, [{ kind: "error", error }]], tools: [look] }),
    "an aborted request": {
      ...stopped,
      ports: {
        ...stopped.ports,
        onEvent: (event) => {
          if (event.kind === "request-started" && event.turn === 2) stopped.abort.abort();
        },
      },
    },
    "an answer without calls": rig({ answers: [looks, saying("done")], tools: [look] }),
    "an answer cut off without calls": rig({
      answers: [
        [
          { kind: "text", text: "a long st" },
          { kind: "done", stop: "length", usage: USAGE },
        ],
      ],
      limits: { turnsMax: 1 },
    }),
    "a turn limit": rig({ answers: [looks], tools: [look], limits: { turnsMax: 1 } }),
  };
  const found: Record<string, unknown> = {};
  for (const [name, one] of Object.entries(ends)) {
    const { files } = simHost({ seed: 1 });
    await recordedRun(files, one);
    const { messages, turns, pending, lastRequest } = await load(files);
    const last = lastRequest === null ? null : { turn: lastRequest.turn, outcome: lastRequest.outcome };
    found[name] = { roles: messages.map((message) => message.role).join(" "), turns, pending, last };
  }
  expect(found).toEqual({
    // Both have no answer and are made again as the same turn.
    "the model's error": {
      roles: "user assistant tool",
      turns: 1,
      pending: null,
      last: { turn: 2, outcome: "error" },
    },
    "an aborted request": {
      roles: "user assistant tool",
      turns: 1,
      pending: null,
      last: { turn: 1, outcome: "calls" },
    },
    "an answer without calls": {
      roles: "user assistant tool assistant",
      turns: 2,
      pending: null,
      last: { turn: 2, outcome: "end" },
    },
    "an answer cut off without calls": {
      roles: "user assistant user",
      turns: 1,
      pending: null,
      last: { turn: 1, outcome: "length" },
    },
    "a turn limit": { roles: "user assistant tool", turns: 1, pending: null, last: { turn: 1, outcome: "calls" } },
  });
});

test("a request line that was written without its answer counts as a turn: it was paid for", async () => {
  const { files } = simHost({ seed: 1 });
  const look = textTool("look", "read", "seen");
  await recordedRun(files, rig({ answers: [calling(call("c1", "look")), saying("done")], tools: [look] }));
  const text = Buffer.from(unwrap(await files.read(path, 1_000_000), "read")).toString("utf8");
  const lines = text.split("\n");
  const answer = lines.findLastIndex((line) => line.includes('"type":"message"'));
  const torn = [...lines.slice(0, answer), lines[answer]?.slice(0, 30)].join("\n");
  unwrap(await files.write(path, Buffer.from(torn)), "write");
  const { messages, turns, lastRequest, linesDamaged } = await load(files);
  expect({ last: messages.at(-1)?.role, turns, request: lastRequest?.turn, linesDamaged }).toEqual({
    last: "tool",
    turns: 2,
    request: 2,
    linesDamaged: 1,
  });
});

test("a result belongs to the answer of its turn, also where call ids come again and a line is damaged", async () => {
  const { files } = simHost({ seed: 1 });
  let n = 0;
  const counts = textTool("counts", "read", () => `count ${++n}`);
  const answers = [calling(call("c1", "counts")), calling(call("c1", "counts")), saying("done")];
  await recordedRun(files, rig({ answers, tools: [counts] }));
  const text = Buffer.from(unwrap(await files.read(path, 1_000_000), "read")).toString("utf8");
  const lines = text.split("\n").slice(0, -4);
  // Left are start, user, request, answer, result, request, answer, result: the first result and the second answer are damaged.
  const damaged = lines.map((line, index) => (index === 4 || index === 6 ? "\0".repeat(line.length) : line));
  unwrap(await files.write(path, Buffer.from(damaged.join("\n"))), "write");
  const { pending, turns, linesDamaged } = await load(files);
  expect({ pending, turns, linesDamaged }).toEqual({
    pending: { turn: 1, calls: [call("c1", "counts")], results: new Map(), cut: false },
    turns: 2,
    linesDamaged: 2,
  });
});

test("pending calls that are not those of the last answer are a bug of the caller", async () => {
  const calls = [call("c1", "look"), call("c2", "look")];
  const { messages, pending } = pendingAnswer(calls, new Map());
  const wrong: readonly [Partial<Rig["spec"]>, string][] = [
    [{ messages: [GO], messagesRecorded: 1 }, "a history to go on from ends with"],
    [{ messages, pending: { ...pending, calls: calls.slice(1) } }, "pending calls are those of the last answer"],
    [
      { messages, pending: { ...pending, results: new Map([[0, result("c2", "look", "")]]) } },
      "a result that stands is that of the call in its place",
    ],
    [{ messages, pending, messagesRecorded: 1 }, "pending calls are those of an answer that is recorded"],
    [
      { messages: [GO, ...messages.slice(1), ...messages.slice(1)], messagesRecorded: 3 },
      "each call of a history has one result, in request order",
    ],
  ];
  for (const [change, message] of wrong) {
    const one = rig({ answers: [], messages, pending });
    await expect(runAgent({ ...one.spec, ...change }, one.ports)).rejects.toThrow(message);
  }
});
