// The reader against the program's own writer: every kind of entry, and lines that a crash has torn.

import { expect, test } from "vitest";
import type { SessionEntry } from "../agent/session-entry.ts";
import { entryLine } from "../agent/session-line.ts";
import { asAgentId, asCallId } from "../base/ids.ts";
import { readTranscript } from "./transcript.ts";

const owner = { agent: asAgentId("a1"), parent: asAgentId("a0"), startedBy: { turn: 2, index: 1 } };
const usage = { inputTokens: 120, cachedTokens: "unavailable", outputTokens: 7 } as const;

const start: SessionEntry = {
  kind: "start",
  atMs: 1,
  role: "child",
  task: null,
  provider: "script:x",
  scripted: true,
  system: "Be brief.",
  tools: ["glob"],
  firstTurn: 0,
};
const request: SessionEntry = {
  kind: "request",
  report: {
    turn: 1,
    provider: "script:x",
    scripted: true,
    outcome: "error",
    error: { kind: "model", code: "overloaded", message: "Later.", retryAfterMs: null },
    usage,
    costUsd: "unavailable",
    charges: [],
    attempts: [],
    startMs: 3,
    endMs: 9,
    durationMs: 6,
    waitedMs: 2,
  },
};
const message: SessionEntry = {
  kind: "message",
  turn: 1,
  atMs: 10,
  message: {
    role: "assistant",
    text: "Looking.",
    calls: [
      { id: asCallId("c1"), name: "glob", arguments: { kind: "parsed", value: { pattern: "*" } } },
      { id: asCallId("c2"), name: "glob", arguments: { kind: "malformed", text: "{" } },
    ],
  },
};
const call: SessionEntry = { kind: "call", turn: 1, index: 0, callId: asCallId("c1"), name: "glob", atMs: 11 };
const result: SessionEntry = {
  kind: "result",
  turn: 1,
  index: 1,
  result: { callId: asCallId("c2"), name: "glob", text: "no", isError: true },
  outcome: "refused",
  queuedMs: 10,
  gateMs: 0,
  approvalMs: 0,
  startMs: "unavailable",
  endMs: "unavailable",
};
const compaction: SessionEntry = {
  kind: "compaction",
  turn: 2,
  atMs: 12,
  opening: "So far …",
  kept: 3,
  how: "summary",
  tokensBefore: 9,
  tokensAfter: 4,
};
const entries: readonly SessionEntry[] = [
  start,
  { kind: "message", turn: 0, atMs: 2, message: { role: "user", text: "Look." } },
  request,
  message,
  call,
  result,
  compaction,
  { kind: "end", turn: 2, atMs: 13, outcome: "stopped", detail: "" },
];

test("what the program writes is read, with unknown figures as unavailable; torn and foreign lines are counted", () => {
  const text = [...entries.map((entry) => entryLine(entry, owner)), '{"type":"from-a-later-version"}', '{"type":"res'];
  expect(readTranscript(text.join("\n"))).toEqual({
    agent: "a1",
    parent: "a0",
    linesUnread: 2,
    lines: [
      {
        kind: "start",
        agent: "a1",
        parent: "a0",
        startedBy: { turn: 2, index: 1 },
        atMs: 1,
        role: "child",
        provider: "script:x",
        scripted: true,
        system: "Be brief.",
        tools: ["glob"],
      },
      { kind: "user", turn: 0, atMs: 2, text: "Look." },
      {
        kind: "request",
        turn: 1,
        provider: "script:x",
        outcome: "error",
        error: "overloaded: Later.",
        startMs: 3,
        endMs: 9,
        waitedMs: 2,
        tokens: usage,
        costUsd: "unavailable",
      },
      {
        kind: "assistant",
        turn: 1,
        atMs: 10,
        text: "Looking.",
        calls: [
          { id: "c1", name: "glob", arguments: { kind: "parsed", value: { pattern: "*" } } },
          { id: "c2", name: "glob", arguments: { kind: "malformed", text: "{" } },
        ],
      },
      {
        kind: "result",
        turn: 1,
        index: 1,
        callId: "c2",
        name: "glob",
        outcome: "refused",
        isError: true,
        text: "no",
        queuedMs: 10,
        gateMs: 0,
        approvalMs: 0,
        startMs: "unavailable",
        endMs: "unavailable",
      },
      { kind: "compaction", turn: 2, atMs: 12, opening: "So far …", kept: 3 },
      { kind: "end", atMs: 13, outcome: "stopped", detail: "" },
    ],
  });
});

test("a file that does not say whose transcript it is is none", () => {
  expect([readTranscript(""), readTranscript('{"type":"end","at_ms":1,"outcome":"stopped","detail":""}\n')]).toEqual([
    null,
    null,
  ]);
});
