// Transcripts on a real disk: what is written can be read back, and a crash at any byte leaves a history that a provider accepts.

import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { nodeHost } from "../adapters/node/host.ts";
import { asAgentId } from "../base/ids.ts";
import { unwrap } from "../base/result.ts";
import type { Message } from "../model/message.ts";
import { USAGE_UNKNOWN } from "../model/usage.ts";
import { call, calling, rig, saying, textTool, USAGE } from "../testing/agent/rig.ts";
import { runAgent } from "./loop.ts";
import { loadSession } from "./session-load.ts";
import { openSessionLog } from "./session-log.ts";

const { files } = nodeHost();
const owner = { agent: asAgentId("a1"), parent: asAgentId("a0") };
let directory: string;
let path: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "skein-session-"));
  path = join(directory, "a1.jsonl");
});
afterEach(() => rm(directory, { recursive: true }));

const echo = textTool("echo", "read", (input) => JSON.stringify(input));

/** The second request of `recordSession`. */
const SECOND = {
  turn: 2,
  attempts: 1,
  provider: "test/prepared",
  outcome: "end",
  error: null,
  durationMs: 0,
  costUsd: "unavailable",
  usage: USAGE_UNKNOWN,
};

/** 60 fresh tokens at 10, 40 cached at 1 and 10 output at 100 dollars per million. */
const FIRST = { ...SECOND, turn: 1, outcome: "calls", costUsd: 0.00164, usage: USAGE };

/** A session of two turns, the first with two calls; answers its messages. */
async function recordSession(): Promise<readonly Message[]> {
  const one = rig({
    answers: [calling(call("c1", "echo", { n: 1 }), call("c2", "echo", { n: 2 })), saying("döne\n", USAGE_UNKNOWN)],
    tools: [echo],
  });
  const record = unwrap(await openSessionLog(files, path, owner), "open");
  const { messages } = await runAgent(one.spec, { ...one.ports, record });
  unwrap(await record.close(), "close");
  return messages;
}

test("a session is read back as it was", async () => {
  const messages = await recordSession();
  expect(await loadSession(files, path)).toEqual({
    ok: true,
    value: {
      messages,
      turns: 2,
      interrupted: 0,
      lastRequest: SECOND,
      pending: null,
      linesDamaged: 0,
      ended: { outcome: "stopped", detail: "" },
      requests: [FIRST, SECOND],
    },
  });
});

test("H22 H23 lines carry the agent and its parent, are snake_case, and an unknown figure is unavailable", async () => {
  await recordSession();
  const lines = (await readFile(path, "utf8"))
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  const who = { agent: "a1", parent: "a0" };
  expect({ types: lines.map((line) => line.type), result: lines[4], request: lines[6] }).toEqual({
    types: ["start", "message", "request", "message", "result", "result", "request", "message", "end"],
    result: {
      type: "result",
      ...who,
      turn: 1,
      index: 0,
      call_id: "c1",
      name: "echo",
      outcome: "ok",
      is_error: false,
      gate_ms: 0,
      approval_ms: 0,
      queued_ms: 1_000,
      start_ms: 1_000,
      end_ms: 1_000,
      text: '{"n":1}',
    },
    request: {
      type: "request",
      ...who,
      turn: 2,
      provider: "test/prepared",
      scripted: true,
      outcome: "end",
      error: null,
      start_ms: 1_000,
      end_ms: 1_000,
      duration_ms: 0,
      waited_ms: 0,
      usage: { input_tokens: "unavailable", cached_tokens: "unavailable", output_tokens: "unavailable" },
      cost_usd: "unavailable",
      charges: [
        {
          usage: { input_tokens: "unavailable", cached_tokens: "unavailable", output_tokens: "unavailable" },
          cost_usd: "unavailable",
        },
      ],
      attempts: [],
    },
  });
});

test("H5 killed at any byte, the session is resumed with a result for every call", async () => {
  await recordSession();
  const whole = await readFile(path);
  const begin = whole.indexOf('"type":"message"');
  for (let bytes = begin; bytes < whole.length; bytes += 7) {
    await writeFile(path, whole.subarray(0, bytes));
    const before = unwrap(await loadSession(files, path), "load");
    const record = unwrap(await openSessionLog(files, path, owner), "open");
    const messages: readonly Message[] = [...before.messages, { role: "user", text: "go on" }];
    const one = rig({ answers: [saying("resumed")], tools: [echo] });
    const spec = { ...one.spec, messages, messagesRecorded: before.messages.length, firstTurn: before.turns };
    const ended = await runAgent(spec, { ...one.ports, record });
    await record.close();
    const after = unwrap(await loadSession(files, path), "load again");
    expect({ bytes, messages: after.messages, turns: after.turns }).toEqual({
      bytes,
      messages: ended.messages,
      turns: before.turns + 1,
    });
  }
});

test("H5 lost results are interrupted ones, in order, and those that were recorded stay", async () => {
  const messages = await recordSession();
  const lines = (await readFile(path, "utf8")).split("\n");
  // The results stand in lines 5 and 6: the first is lost, as if a stage had been cut down in the middle of its recording.
  await writeFile(path, [...lines.slice(0, 4), lines[5], '{"type":"resu'].join("\n"));
  const loaded = unwrap(await loadSession(files, path), "load");
  const text =
    "interrupted: the program ended before this call's result was recorded. The call may or may not have taken effect: look before you repeat it.";
  expect(loaded).toEqual({
    messages: [
      ...messages.slice(0, 2),
      {
        role: "tool",
        results: [
          { callId: "c1", name: "echo", text, isError: true },
          { callId: "c2", name: "echo", text: '{"n":2}', isError: false },
        ],
      },
    ],
    turns: 1,
    interrupted: 1,
    lastRequest: FIRST,
    pending: null,
    linesDamaged: 1,
    ended: null,
    requests: [FIRST],
  });
});

test("a damaged line costs its own content, not the session", async () => {
  const messages = await recordSession();
  const lines = (await readFile(path, "utf8")).split("\n");
  lines[3] = "\0\0\0";
  await writeFile(path, lines.join("\n"));
  expect(await loadSession(files, path)).toEqual({
    ok: true,
    value: {
      messages: [messages[0], messages[3]],
      turns: 2,
      interrupted: 0,
      lastRequest: SECOND,
      pending: null,
      linesDamaged: 1,
      ended: { outcome: "stopped", detail: "" },
      requests: [FIRST, SECOND],
    },
  });
});

test("a transcript of a newer version is not guessed at", async () => {
  await writeFile(path, '{"type":"start","version":2}\n');
  expect(await loadSession(files, path)).toEqual({ ok: false, error: { kind: "newer", path, version: 2 } });
});
