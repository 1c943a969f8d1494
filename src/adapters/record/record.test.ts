// Traffic recorded and replayed on the simulated disk: the same answers to the same requests, and what a crash, a full disk, a secret and
// a request that was never recorded do.

import { expect, test } from "vitest";
import { runAgent } from "../../agent/loop.ts";
import { asAgentId, asCallId } from "../../base/ids.ts";
import { unwrap } from "../../base/result.ts";
import type { FileError } from "../../host/files.ts";
import type { Message } from "../../model/message.ts";
import type { ModelError, Provider, StreamEvent } from "../../model/provider.ts";
import { call, calling, PreparedProvider, rig, saying, textTool, USAGE } from "../../testing/agent/rig.ts";
import { describeProvider } from "../../testing/contract/provider.ts";
import { eventsOf, requestOf } from "../../testing/model/requests.ts";
import { type SimHost, simHost } from "../../testing/sim/host.ts";
import type { NeutralSettings } from "./neutral.ts";
import { recorded } from "./recorded.ts";
import { openRecording, type Recording } from "./recording.ts";
import { openReplay, type ReplaySettings } from "./replay.ts";

const directory = "/state/traffic";
const hello: readonly StreamEvent[] = [
  { kind: "text", text: "hel" },
  { kind: "text", text: "lo" },
  ...calling(call("c1", "look", { path: "a" }), call("c2", "look")),
];
const failing = (code: ModelError["code"]): readonly StreamEvent[] => [
  { kind: "error", error: { kind: "model", code, message: "no", retryAfterMs: 1_500 } },
];
const said = (text: string): Message => ({ role: "user", text });

async function recordingOf(sim: SimHost, settings: NeutralSettings = {}): Promise<Recording> {
  const { files, clock } = sim;
  const onFailure = (error: FileError) => {
    throw new Error(error.message);
  };
  return unwrap(await openRecording({ files, clock, directory, onFailure, ...settings }), "record");
}

async function replayOf(sim: SimHost, settings: ReplaySettings = {}): Promise<Provider> {
  return unwrap(await openReplay(sim, directory, settings), "replay");
}

async function fileText(sim: SimHost, name = "traffic-0001.jsonl"): Promise<string> {
  return new TextDecoder().decode(unwrap(await sim.files.read(`${directory}/${name}`, 1e9), "read"));
}

/** A machine on which these answers were recorded, each for the request of its number as turn. */
async function recordedTurns(...answers: readonly (readonly StreamEvent[])[]): Promise<SimHost> {
  const sim = simHost({ seed: 1 });
  const recording = await recordingOf(sim);
  const provider = recorded(new PreparedProvider(answers), recording);
  for (const turn of answers.keys()) await eventsOf(provider, requestOf({ turn: turn + 1 }));
  unwrap(await recording.close(), "close");
  return sim;
}

/** Answers "hello" and two calls to a request of the contract suite, and fails the second time. */
const contractOf = async (answer: readonly StreamEvent[]) => {
  const sim = simHost({ seed: 1 });
  const provider = recorded(new PreparedProvider([answer]), await recordingOf(sim));
  // What the suite asks: recorded here, so that the replay knows it.
  await eventsOf(provider, requestOf({ role: "solo" }, [said("go")]));
  return replayOf(sim);
};
const [answeringReplay, failingReplay] = [await contractOf(hello), await contractOf(failing("overloaded"))];
describeProvider("replay", () => ({ answering: answeringReplay, failing: failingReplay }));

const recordings = [await recordingOf(simHost({ seed: 1 })), await recordingOf(simHost({ seed: 2 }))] as const;
describeProvider("recorded", () => ({
  answering: recorded(new PreparedProvider([hello]), recordings[0]),
  failing: recorded(new PreparedProvider([failing("overloaded")]), recordings[1]),
}));

test("what was recorded is answered again, event by event, under a name that says so", async () => {
  const sim = await recordedTurns(hello, saying("done"));
  const replay = await replayOf(sim, { shownAs: "./demo" });
  expect({
    first: await eventsOf(replay),
    second: await eventsOf(replay, requestOf({ turn: 2 })),
    name: replay.name,
    scripted: replay.scripted,
    price: replay.price,
  }).toEqual({
    first: hello,
    second: saying("done"),
    name: "replay:./demo (replayed test/prepared)",
    scripted: true,
    price: null,
  });
});

test("an agent on the replay has the history it had when it was recorded", async () => {
  const sim = simHost({ seed: 1 });
  const look = textTool("look", "read", (input) => `saw ${JSON.stringify(input)}`);
  const recording = await recordingOf(sim);
  const first = rig({
    answers: [hello, calling(call("c3", "look", { deep: [1, null] })), saying("done")],
    tools: [look],
  });
  const before = await runAgent(first.spec, { ...first.ports, provider: recorded(first.provider, recording) });
  const again = rig({ answers: [], tools: [look] });
  const after = await runAgent(again.spec, { ...again.ports, provider: await replayOf(sim) });
  expect([after.kind, after.messages, after.totals.usage]).toEqual(["stopped", before.messages, before.totals.usage]);
  // Each message is in the file once, though the third request carries all of them.
  const parts = (await fileText(sim)).split("\n").filter((line) => line.includes('"type":"part"'));
  expect(parts.length).toBe(2 + 5);
});

test("failed attempts are recorded and passed over; where there is nothing else, the failure is the answer", async () => {
  const sim = simHost({ seed: 1 });
  const provider = recorded(
    new PreparedProvider([
      failing("rate-limit"),
      [{ kind: "text", text: "half" }],
      saying("at last"),
      failing("quota"),
    ]),
    await recordingOf(sim),
  );
  for (let attempt = 0; attempt < 3; attempt++) await eventsOf(provider);
  await eventsOf(provider, requestOf({ turn: 2 }));
  const replay = await replayOf(sim);
  expect([
    (await fileText(sim)).match(/"code":"rate-limit"/g)?.length,
    await eventsOf(replay),
    await eventsOf(replay),
    await eventsOf(replay, requestOf({ turn: 2 })),
  ]).toEqual([1, saying("at last"), saying("at last"), failing("quota")]);
});

test("the same request answered twice is answered twice, in the order of recording", async () => {
  const sim = simHost({ seed: 1 });
  const provider = recorded(new PreparedProvider([saying("one"), saying("two")]), await recordingOf(sim));
  await eventsOf(provider);
  await eventsOf(provider);
  const replay = await replayOf(sim);
  expect([await eventsOf(replay), await eventsOf(replay), await eventsOf(replay)]).toEqual([
    saying("one"),
    saying("two"),
    saying("two"),
  ]);
});

test("a request that was not recorded gets an error that names what differs first", async () => {
  const sim = simHost({ seed: 1 });
  const provider = recorded(new PreparedProvider([saying("a"), saying("b"), saying("c")]), await recordingOf(sim));
  const known = { taskKeys: ["parse", "format"], turn: 2 };
  await eventsOf(provider, requestOf(known, [said("go"), said("please")]));
  await eventsOf(provider, requestOf({ ...known, turn: 3 }, [said("go")]));
  await eventsOf(provider, requestOf({ ...known, taskKeys: [] }, [said("go")]));
  const replay = await replayOf(sim);
  const why = async (...args: Parameters<typeof requestOf>) => {
    const [event] = await eventsOf(replay, requestOf(...args));
    return event?.kind === "error" && event.error.code === "replay" ? event.error.message : event;
  };
  const lead = "the recording has no answer:";
  const who = "the worker with task format and parse";
  expect([
    await why({ ...known, role: "planner" }),
    await why({ ...known, taskKeys: ["eval"] }),
    await why({ ...known, turn: 9 }),
    await why(known, [said("go"), said("now")]),
    await why(known, [said("go")]),
    await why(known, [said("go"), said("please"), said("!")]),
    await why({ ...known, taskKeys: ["format", "parse"] }, [said("go"), said("please")]),
  ]).toEqual([
    `${lead} no answer to a planner was recorded, only to worker`,
    `${lead} no answer to a worker with task eval was recorded, only with task format and parse, no task`,
    `${lead} ${who} was recorded for turn 2, 3, not for turn 9`,
    `${lead} ${who}, turn 2: message 2 (user) differs: it is …ole":"user","text":"now"} and was …ole":"user","text":"please"}`,
    `${lead} ${who}, turn 2: message 2 of 2 is missing`,
    `${lead} ${who}, turn 2: message 3 (user) was not there in the recording`,
    { kind: "text", text: "a" },
  ]);
});

test("the original timing is kept where it is asked for, and an abort cuts it short", async () => {
  const sim = simHost({ seed: 1 });
  const slow: Provider = {
    ...new PreparedProvider([]),
    name: "test/slow",
    async *request() {
      for (const event of hello) {
        await sim.clock.sleep(250);
        yield event;
      }
    },
  };
  const provider = recorded(slow, await recordingOf(sim));
  await sim.run(eventsOf(provider));
  const replay = await replayOf(sim, { timing: "original" });
  const times: number[] = [];
  const fromMs = sim.clock.monotonicMs();
  const read = async () => {
    for await (const _ of replay.request(requestOf(), new AbortController().signal))
      times.push(sim.clock.monotonicMs() - fromMs);
  };
  await sim.run(read());
  const stop = new AbortController();
  sim.clock.after(600, () => stop.abort());
  const cut = await sim.run(eventsOf(replay, requestOf(), stop.signal));
  expect([times, cut]).toEqual([
    [250, 500, 750, 1_000, 1_250],
    [...hello.slice(0, 2), { kind: "aborted" }],
  ]);
});

test("killed at any byte, what was answered before is replayed and the rest is an error", async () => {
  const sim = await recordedTurns(hello, saying("done"));
  const whole = new TextEncoder().encode(await fileText(sim));
  const firstAnswer = new TextDecoder().decode(whole).indexOf('"id":2');
  for (let bytes = firstAnswer; bytes < whole.length; bytes += 5) {
    await sim.files.write(`${directory}/traffic-0001.jsonl`, whole.subarray(0, bytes));
    const replay = await replayOf(sim);
    const second = await eventsOf(replay, requestOf({ turn: 2 }));
    expect([bytes, await eventsOf(replay), second.at(-1)?.kind]).toEqual([
      bytes,
      hello,
      // The last line is whole without its newline.
      bytes === whole.length - 1 ? "done" : "error",
    ]);
  }
});

test("a full disk ends the recording once, and not the work", async () => {
  const sim = simHost({ seed: 1 });
  const failures: string[] = [];
  const { files, clock } = sim;
  const onFailure = (error: FileError) => void failures.push(error.code);
  const recording = unwrap(await openRecording({ files, clock, directory, onFailure }), "record");
  const provider = recorded(new PreparedProvider([hello, hello, hello]), recording);
  const first = await eventsOf(provider);
  sim.disk.failNext({ op: "append", code: "no-space", afterBytes: 10, times: Number.POSITIVE_INFINITY });
  const [second, third] = [await eventsOf(provider, requestOf({ turn: 2 })), await eventsOf(provider)];
  sim.disk.clearFaults();
  const replay = await replayOf(sim);
  expect({ first, second, third, failures, replayed: await eventsOf(replay) }).toEqual({
    first: hello,
    second: hello,
    third: hello,
    failures: ["no-space"],
    replayed: hello,
  });
});

test("a directory that cannot be made, and one without an answer, are errors before anything is asked", async () => {
  const sim = simHost({ seed: 1 });
  sim.disk.failNext({ op: "makeDirectory", code: "denied" });
  const { files, clock } = sim;
  const denied = await openRecording({ files, clock, directory, onFailure: () => {} });
  const missing = await openReplay(sim, "/nowhere");
  await recordingOf(sim);
  const empty = await openReplay(sim, directory);
  await sim.files.write(`${directory}/newer.jsonl`, new TextEncoder().encode('{"type":"recording","version":2}\n'));
  const newer = await openReplay(sim, directory);
  const codes = [denied, missing, empty, newer].map((result) =>
    result.ok ? "ok" : result.error.kind === "file" ? result.error.code : result.error.message,
  );
  expect(codes).toEqual([
    "denied",
    "not-found",
    "the directory holds no recorded answer",
    "the recording was made by a newer version of skein",
  ]);
});

test("processes that record together have a file each, and one replay answers from all", async () => {
  const sim = simHost({ seed: 1 });
  const texts = ["planner", "worker", "arbiter"] as const;
  for (const role of texts) {
    const provider = recorded(new PreparedProvider([saying(role)]), await recordingOf(sim.newProcess()));
    await eventsOf(provider, requestOf({ role }));
  }
  const replay = await replayOf(sim);
  const names = unwrap(await sim.files.list(directory, 10), "list").map((entry) => entry.name);
  expect([names, await Promise.all(texts.map((role) => eventsOf(replay, requestOf({ role }))))]).toEqual([
    ["traffic-0001.jsonl", "traffic-0002.jsonl", "traffic-0003.jsonl"],
    texts.map((text) => saying(text)),
  ]);
});

test("no secret is recorded, not even one cut between two pieces; the caller gets it whole, and the replay finds the request", async () => {
  const sim = simHost({ seed: 1 });
  const key = `sk-ant-${"a1B2".repeat(10)}`;
  const secret = "correct horse";
  const answer: readonly StreamEvent[] = [
    { kind: "text", text: `the key is ${key.slice(0, 12)}` },
    { kind: "text", text: `${key.slice(12)}.` },
    ...calling(call("c1", "bash", { command: `echo ${key}`, [key]: secret })),
  ];
  const provider = recorded(new PreparedProvider([answer]), await recordingOf(sim, { secrets: [secret] }));
  const messages: readonly Message[] = [
    said(`my key: ${key}`),
    {
      role: "assistant",
      text: "",
      calls: [{ id: asCallId("c0"), name: "bash", arguments: { kind: "malformed", text: key } }],
    },
    { role: "tool", results: [{ callId: asCallId("c0"), name: "bash", text: `${secret}\n`, isError: true }] },
  ];
  const given = await eventsOf(provider, requestOf({}, messages));
  const text = await fileText(sim);
  const replayed = await eventsOf(await replayOf(sim, { secrets: [secret] }), requestOf({}, messages));
  expect([given, text.includes(key.slice(12, 30)), text.includes(secret), replayed]).toEqual([
    answer,
    false,
    false,
    [
      { kind: "text", text: "the key is [redacted]." },
      ...calling(call("c1", "bash", { command: "echo [redacted]", "[redacted]": "[redacted]" })),
    ],
  ]);
});

test("a machine's directories are places: recorded here, replayed there", async () => {
  const sim = simHost({ seed: 1 });
  const answer = calling(call("c1", "read_file", { path: "/state/runs/r1/work/a.ts" }));
  const places = { run: "/state/runs/r1", work: "/state/runs/r1/work" };
  const provider = recorded(new PreparedProvider([answer]), await recordingOf(sim, { places }));
  await eventsOf(provider, requestOf({}, [said("you are in /state/runs/r1/work of /state/runs/r1")]));
  const replay = await replayOf(sim, { places: { run: "/tmp/$&/r2", work: "/tmp/w" } });
  const events = await eventsOf(replay, requestOf({}, [said("you are in /tmp/w of /tmp/$&/r2")]));
  expect([(await fileText(sim)).includes("/state/"), events]).toEqual([
    false,
    calling(call("c1", "read_file", { path: "/tmp/w/a.ts" })),
  ]);
});

test("who asked and what was sent can be read from the file", async () => {
  const sim = simHost({ seed: 1 });
  const provider = recorded(new PreparedProvider([saying("done", USAGE)]), await recordingOf(sim));
  await eventsOf(provider, requestOf({ agent: asAgentId("a7"), taskKeys: ["parse"], turn: 4 }));
  const lines = (await fileText(sim))
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  const [, system, tools, message, request, answer] = lines;
  expect({
    types: lines.map((line) => line.type),
    parts: [system.value, tools.value, message.value],
    request,
    answer,
  }).toEqual({
    types: ["recording", "part", "part", "part", "request", "answer"],
    parts: ["You test.", requestOf().tools, { role: "user", text: "go" }],
    request: {
      type: "request",
      id: 1,
      at_ms: 1_767_225_600_000,
      provider: "test/prepared",
      agent: "a7",
      parent: null,
      role: "worker",
      task: null,
      task_keys: ["parse"],
      turn: 4,
      system: system.digest,
      tools: tools.digest,
      messages: [message.digest],
      output_tokens_max: 1_000,
    },
    answer: { type: "answer", id: 1, events: saying("done", USAGE).map((event) => ({ ms: 0, event })) },
  });
});
