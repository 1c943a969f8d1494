// A session whose context fills up: the loop compacts it before the window is full, every request is one that a provider accepts, and
// what is read back from the transcript is what the model saw.

import { expect, test } from "vitest";
import { asAgentId } from "../base/ids.ts";
import { unwrap } from "../base/result.ts";
import type { Message } from "../model/message.ts";
import type { ModelRequest, Provider, StreamEvent } from "../model/provider.ts";
import type { Usage } from "../model/usage.ts";
import { call, calling, rig, saying, textTool, USAGE } from "../testing/agent/rig.ts";
import { type SimHost, simHost } from "../testing/sim/host.ts";
import { SUMMARY_REQUEST } from "./compaction.ts";
import { messageTokens } from "./context-size.ts";
import { runAgent } from "./loop.ts";
import { loadSession } from "./session-load.ts";
import { openSessionLog } from "./session-log.ts";

const path = "/agents/a1.jsonl";
const owner = { agent: asAgentId("a1"), parent: null };
/** Room for input: 95 % without 100 of output, 1,800 tokens. */
const window = { contextTokens: 2_000, outputTokensMax: 100 };

/** Reads until it has had `reads` answers, and counts its context as a token for three bytes. */
function reader(
  reads: number,
  onSummary: () => readonly StreamEvent[],
): Provider & { readonly requests: ModelRequest[] } {
  const requests: ModelRequest[] = [];
  let answers = 0;
  return {
    name: "test/reader",
    scripted: true,
    price: null,
    requests,
    async *request(request) {
      requests.push(request);
      const asksSummary = isSummaryRequest(request);
      if (!asksSummary) answers++;
      const counted: Usage = { inputTokens: messageTokens(request.messages), cachedTokens: 0, outputTokens: 10 };
      const events = asksSummary
        ? onSummary()
        : answers > reads
          ? saying("All read.")
          : calling(call(`c${answers}`, "look", { n: answers }));
      for (const event of events) yield event.kind === "done" ? { ...event, usage: counted } : event;
    },
  };
}

function isSummaryRequest({ messages }: ModelRequest): boolean {
  const last = messages.at(-1);
  return last?.role === "user" && last.text === SUMMARY_REQUEST;
}

/** As every provider demands it: calls and results pair, and a history begins with the person. */
function accepted(messages: readonly Message[]): boolean {
  return messages.every((message, index) => {
    if (index === 0) return message.role === "user";
    const before = messages[index - 1];
    const asked = before?.role === "assistant" ? before.calls.map(({ id }) => id) : [];
    const given = message.role === "tool" ? message.results.map(({ callId }) => callId) : [];
    return asked.join() === given.join();
  });
}

async function record(host: SimHost, reads: number, onSummary: () => readonly StreamEvent[]) {
  unwrap(await host.files.makeDirectory("/agents"), "directory");
  const provider = reader(reads, onSummary);
  const look = textTool("look", "read", (input) => `${JSON.stringify(input)} ${"z".repeat(600)}`);
  const one = rig({ answers: [], tools: [look], limits: { ...window, turnsMax: 100 } });
  const log = unwrap(await openSessionLog(host.files, path, owner), "open");
  const ended = await runAgent(one.spec, { ...one.ports, clock: host.clock, record: log, provider });
  unwrap(await log.close(), "close");
  return { ended, requests: provider.requests, events: one.events };
}

test("H9 the context stays within the window however long the session, and the recent part stays word for word", async () => {
  const host = simHost({ seed: 1 });
  let summaries = 0;
  const { ended, requests, events } = await host.run(record(host, 30, () => saying(`Summary ${++summaries}.`)));
  const loaded = unwrap(await loadSession(host.files, path), "load");
  const compactions = events.flatMap((event) => (event.kind === "compacted" ? [event] : []));
  const afterwards = requests.filter(
    (_request, index) => index > 0 && isSummaryRequest(requests[index - 1] ?? requests[0]!),
  );
  expect({
    text: ended.kind === "stopped" && ended.text,
    requests: ended.requests,
    loaded: loaded.messages,
    turns: loaded.turns,
    refused: requests.filter(({ messages }) => !accepted(messages)).length,
    tooLong: requests.filter(({ messages }) => messageTokens(messages) > 1_800 + 300).length,
    compactions: compactions.map(({ how }) => how),
    // The newest answer and its result are what they were, and the task stands first.
    kept: afterwards.map(({ messages }, index) => [
      messages[0]?.role === "user" &&
        messages[0].text.startsWith("go\n\n") &&
        messages[0].text.endsWith(`Summary ${index + 1}.`),
      messages.at(-1)?.role === "tool" && JSON.stringify(messages.at(-1)).includes("z".repeat(600)),
    ]),
  }).toEqual({
    text: "All read.",
    requests: 31 + summaries,
    loaded: ended.messages,
    turns: 31 + summaries,
    refused: 0,
    tooLong: 0,
    compactions: Array(summaries).fill("summary"),
    kept: Array(summaries).fill([true, true]),
  });
  expect(summaries).toBeGreaterThan(2);
});

test("H16 a summary that the model does not give costs the session nothing but detail", async () => {
  const error = { kind: "model", code: "overloaded", message: "try later", retryAfterMs: null } as const;
  const host = simHost({ seed: 1 });
  const { ended, events } = await host.run(record(host, 12, () => [{ kind: "error", error }]));
  const loaded = unwrap(await loadSession(host.files, path), "load");
  const [opening] = loaded.messages;
  expect({
    kind: ended.kind,
    loaded: loaded.messages,
    how: new Set(events.flatMap((event) => (event.kind === "compacted" ? [event.how] : []))),
    digest: opening?.role === "user" && /- called look {"n":\d+} → ok: {"n":\d+} z/.test(opening.text),
  }).toEqual({ kind: "stopped", loaded: ended.messages, how: new Set(["digest"]), digest: true });
});

test("H5 cut at any line, also around a compaction, the transcript gives a history that a provider accepts", async () => {
  const host = simHost({ seed: 1 });
  await host.run(record(host, 14, () => saying("Summary.")));
  const whole = Buffer.from(unwrap(await host.files.read(path, 10_000_000), "read")).toString("utf8");
  const lines = whole.split("\n");
  expect(lines.some((line) => line.includes('"type":"compaction"'))).toBe(true);
  const wrong: number[] = [];
  for (let count = 2; count <= lines.length; count++) {
    // And torn in the middle of the next.
    const cut = `${lines.slice(0, count).join("\n")}\n${lines[count]?.slice(0, 40) ?? ""}`;
    unwrap(await host.files.write(path, Buffer.from(cut)), "write");
    const { messages } = unwrap(await loadSession(host.files, path), "load");
    if (!accepted(messages)) wrong.push(count);
  }
  // A damaged line among those that were kept word for word.
  for (const index of lines.keys()) {
    unwrap(
      await host.files.write(path, Buffer.from(lines.map((line, at) => (at === index ? "\0" : line)).join("\n"))),
      "write",
    );
    const { messages } = unwrap(await loadSession(host.files, path), "load");
    if (messages.some((message, at) => message.role === "tool" && messages[at - 1]?.role !== "assistant"))
      wrong.push(-index);
  }
  expect(wrong).toEqual([]);
});

test("a request that the provider refuses as too long is made once more with a history made shorter", async () => {
  const error = {
    kind: "model",
    code: "bad-request",
    message: "prompt is too long: 9 tokens > 8 maximum",
    retryAfterMs: null,
  } as const;
  const looks = [1, 2, 3, 4].map((n) => calling(call(`c${n}`, "look", { n })));
  const look = textTool("look", "read", "y".repeat(400));
  const once = rig({
    answers: [...looks, [{ kind: "error", error }], saying("Summary."), saying("done")],
    tools: [look],
  });
  const twice = rig({
    answers: [...looks, [{ kind: "error", error }], saying("Summary."), [{ kind: "error", error }]],
    tools: [look],
  });
  const [good, bad] = [await runAgent(once.spec, once.ports), await runAgent(twice.spec, twice.ports)];
  expect([
    good.kind,
    once.provider.requests.length,
    accepted(good.messages),
    bad.kind,
    twice.provider.requests.length,
  ]).toEqual(["stopped", 7, true, "model-error", 7]);
});

test("H10 an abort while a summary is asked for leaves the history as it was", async () => {
  const one = rig({
    answers: [calling(call("c1", "look")), calling(call("c2", "look")), saying("Summary.")],
    tools: [textTool("look", "read", "y".repeat(1_000))],
    // Room for 375 tokens: the second result is beyond it.
    limits: { contextTokens: 500, outputTokensMax: 100 },
  });
  const provider: Provider = {
    ...one.provider,
    name: "test/aborting",
    async *request(request, signal) {
      if (isSummaryRequest(request)) one.abort.abort();
      yield* one.provider.request(request, signal);
    },
  };
  const ended = await runAgent(one.spec, { ...one.ports, provider });
  expect([
    ended.kind,
    ended.messages.map(({ role }) => role),
    one.entries.some(({ kind }) => kind === "compaction"),
  ]).toEqual(["cancelled", ["user", "assistant", "tool", "assistant", "tool"], false]);
});

test("H9 what a summary would not make shorter stays, and is not asked for again before there is more to leave out", async () => {
  // The person's words fill the window by themselves; then one long result after another.
  const looks = Array.from({ length: 8 }, (_, n) => calling(call(`c${n}`, "look", { n })));
  const one = rig({
    answers: [...looks, saying("done")],
    tools: [textTool("look", "read", (input) => `seen ${JSON.stringify(input)}`)],
    messages: [{ role: "user", text: "w".repeat(6_000) }],
    limits: window,
  });
  const provider: Provider = {
    ...one.provider,
    name: "test/long",
    async *request(request, signal) {
      if (isSummaryRequest(request)) return yield* saying("s".repeat(9_000));
      for await (const event of one.provider.request(request, signal))
        yield event.kind === "done"
          ? { ...event, usage: { ...USAGE, inputTokens: messageTokens(request.messages) } }
          : event;
    },
  };
  const ended = await runAgent(one.spec, { ...one.ports, provider });
  const asked = one.events.filter(({ kind }) => kind === "compaction-started").length;
  const stayed = one.events.flatMap((event) => (event.kind === "compacted" ? [event.how] : []));
  expect([ended.kind, ended.messages.length, asked, new Set(stayed), stayed.length < 3]).toEqual([
    "stopped",
    18,
    expect.any(Number),
    new Set(["none"]),
    true,
  ]);
  expect(asked).toBeLessThan(2);
});

test("a window that system prompt and tools alone fill ends the session before anything is asked, and says why", async () => {
  const one = rig({
    answers: [],
    tools: [
      { ...textTool("look", "read", "x"), spec: { name: "look", description: "d".repeat(20_000), inputSchema: {} } },
    ],
    limits: window,
  });
  const ended = await runAgent(one.spec, one.ports);
  expect([ended.kind, ended.kind === "model-error" && ended.error.message, one.provider.requests.length]).toEqual([
    "model-error",
    expect.stringMatching(
      /^the model's window of 2000 tokens is too small: system prompt and tools alone have at least 33\d\d, /,
    ),
    0,
  ]);
});
