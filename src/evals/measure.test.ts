// A run's record from what the run wrote: every figure calculated here by hand.

import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { nodeHost } from "../adapters/node/host.ts";
import { unwrap } from "../base/result.ts";
import { type WrittenRun, writeRun } from "../testing/evals/written-run.ts";
import { temporaryDirectory } from "../testing/git/real-repository.ts";
import { recordOf } from "./measure.ts";
import { parseRecord, type RunRecord } from "./record.ts";
import { readTranscripts } from "./transcript.ts";

const t = 1_700_000_000_000;
const delegate = (id: string, startMs: number, endMs: number, result: string) =>
  ({ id, name: "delegate_task", input: { task: "look" }, startMs, endMs, result }) as const;
const readCall = (id: string, path: string, atMs: number) =>
  ({ id, name: "read_file", input: { path }, startMs: atMs, endMs: atMs + 2, result: "    1\tx" }) as const;

const written: WrittenRun = {
  agents: [
    {
      id: "a0",
      parent: null,
      startMs: t,
      endMs: t + 3_510,
      turns: [
        {
          startMs: t,
          endMs: t + 900,
          usage: [1_000, 0, 50],
          costUsd: 0.01,
          calls: [delegate("c0", t + 905, t + 2_000, "x"), delegate("c1", t + 906, t + 3_000, "y")],
        },
        {
          startMs: t + 3_001,
          endMs: t + 3_201,
          usage: [1_200, 1_000, 20],
          costUsd: 0.002,
          waitedMs: 40,
          calls: [readCall("c2", "src/./a.js", t + 3_202), readCall("c3", "src/b.js", t + 3_204)],
        },
        { startMs: t + 3_210, endMs: t + 3_510, usage: [1_300, 1_200, 30], costUsd: 0.003, say: "a=1\nb=2" },
      ],
    },
    {
      id: "a1",
      parent: "a0",
      startMs: t + 910,
      endMs: t + 2_000,
      turns: [
        {
          startMs: t + 950,
          endMs: t + 1_450,
          usage: [400, 0, 10],
          costUsd: 0.001,
          calls: [readCall("d0", "src/a.js", t + 1_451)],
        },
        { startMs: t + 1_460, endMs: t + 1_990, usage: [500, 400, 15], costUsd: 0.001, say: "a=1" },
      ],
    },
    {
      id: "a10",
      parent: "a0",
      startMs: t + 911,
      endMs: t + 3_000,
      turns: [
        { startMs: t + 960, endMs: t + 2_960, usage: [450, 0, 400], costUsd: 0.002, say: "It is 2.\n\nSo I found." },
      ],
    },
  ],
  delegations: [
    { child: "a1", call: "c0", startMs: t + 905, endMs: t + 2_000 },
    { child: "a10", call: "c1", startMs: t + 906, endMs: t + 3_000, concurrent: 2 },
  ],
};

async function recordedOf(run: WrittenRun, torn = ""): Promise<RunRecord> {
  using directory = temporaryDirectory();
  writeRun(directory.path, run);
  if (torn !== "")
    appendFileSync(join(directory.path, "runs/workspace-0123456789ab/20261129-230501-ab3d/agents/a0.jsonl"), torn);
  const transcripts = await readTranscripts(nodeHost().files, directory.path);
  const ending = { exitCode: 0, signal: null, outcome: "stopped", error: null, detail: "", timedOut: false };
  return recordOf({
    suite: "s",
    slot: { task: "t", condition: "c", repetition: 2 },
    seed: "1.t.2",
    askedModel: "made/model",
    flags: ["--parallel", "1"],
    skeinVersion: "1.0.0",
    startedAtMs: t - 400,
    processMs: 4_000,
    wallMs: 3_512,
    ending,
    answer: "a=1\nb=2",
    transcripts,
    faults: [],
  });
}

const valuesOf = ({ figures }: RunRecord) =>
  Object.fromEntries(Object.entries(figures).map(([name, { value }]) => [name, value]));

test("every figure of a run with two children at once", async () => {
  const record = await recordedOf(written);
  expect(valuesOf(record)).toEqual({
    wallMs: 3_512,
    // 0–900, 950–2960 (the children's requests overlap), 3001–3201, 3210–3510.
    waitingMs: 900 + 2_010 + 200 + 300,
    workingMs: 102,
    queuedMs: 40,
    processMs: 4_000,
    requests: 6,
    requestsParent: 3,
    requestsChildren: 3,
    inputTokens: 4_850,
    inputTokensParent: 3_500,
    inputTokensChildren: 1_350,
    cachedTokens: 2_600,
    cachedTokensParent: 2_200,
    cachedTokensChildren: 400,
    outputTokens: 525,
    outputTokensParent: 100,
    outputTokensChildren: 425,
    costUsd: expect.closeTo(0.019, 9),
    costUsdParent: expect.closeTo(0.015, 9),
    costUsdChildren: expect.closeTo(0.004, 9),
    peakContextTokens: 1_330,
    peakContextTokensParent: 1_330,
    peakContextTokensChildren: 850,
    calls: 5,
    callsPerResponseMax: 2,
    delegations: 2,
    delegationsPerResponseMax: 2,
    delegationSpanMs: 2_095,
    delegationSumMs: 1_095 + 2_094,
    delegationLongestMs: 2_094,
    overlapRatio: 3_189 / 2_095,
    peakConcurrency: 2,
    childResultCharsMin: 3,
    childResultCharsMax: 21,
    filesReadAgain: 1,
  });
  const {
    callsPerResponse,
    delegationsPerResponse,
    childResults,
    filesReadAgain,
    models,
    zeroAtMs,
    delegations,
    faults,
  } = record;
  expect({ callsPerResponse, delegationsPerResponse, childResults, filesReadAgain, models, zeroAtMs, faults }).toEqual({
    callsPerResponse: { 1: 1, 2: 2 },
    delegationsPerResponse: { 2: 1 },
    childResults: [
      { child: "a1", chars: 3, form: "bare-value" },
      { child: "a10", chars: 21, form: "report" },
    ],
    filesReadAgain: ["src/a.js"],
    models: ["made/model"],
    zeroAtMs: t,
    faults: [],
  });
  expect([record.agents.map(({ id, startMs, endMs }) => [id, startMs, endMs]), delegations[1]]).toEqual([
    [
      ["a0", 0, 3_510],
      ["a1", 910, 2_000],
      ["a10", 911, 3_000],
    ],
    {
      seq: 2,
      callId: "c1",
      child: "a10",
      parent: "a0",
      concurrent: 2,
      queuedMs: 906,
      startMs: 906,
      endMs: 3_000,
      outcome: "done",
      context: "task-only",
    },
  ]);
  expect(record.agents[1]?.calls[0]).toEqual({
    turn: 1,
    index: 0,
    callId: "d0",
    name: "read_file",
    arguments: '{"path":"src/a.js"}',
    queuedMs: 1_450,
    startMs: 1_451,
    endMs: 1_453,
    outcome: "ok",
    isError: false,
    resultChars: 7,
  });
  expect(unwrap(parseRecord(JSON.parse(JSON.stringify(record))), "record")).toEqual(record);
});

test("H23 what is not told is unavailable and not 0: usage, delegations that were none, a run that wrote nothing", async () => {
  const silent = {
    startMs: t,
    endMs: t + 10,
    usage: ["unavailable", "unavailable", 5],
    costUsd: "unavailable",
  } as const;
  const alone = await recordedOf({ agents: [{ id: "a0", parent: null, startMs: t, endMs: t + 20, turns: [silent] }] });
  const nothing = await recordedOf({ agents: [] });
  const pick = (record: RunRecord) => {
    const { inputTokens, outputTokens, costUsd, peakContextTokens, delegations, delegationSpanMs, requestsChildren } =
      record.figures;
    return [inputTokens, outputTokens, costUsd, peakContextTokens, delegations, delegationSpanMs, requestsChildren];
  };
  const unavailable = { value: null, status: "unavailable" };
  expect([pick(alone), pick(nothing)]).toEqual([
    [
      unavailable,
      { value: 5, status: "measured" },
      unavailable,
      unavailable,
      { value: 0, status: "measured" },
      unavailable,
      { value: 0, status: "measured" },
    ],
    Array(7).fill(unavailable),
  ]);
});

test("a tool that lacked something around it, and a torn transcript, are faults of the environment", async () => {
  const search = { id: "c0", name: "grep", input: { pattern: "x" }, result: "rg was not found", outcome: "fault" };
  const run = {
    agents: [
      { id: "a0", parent: null, startMs: t, endMs: t + 9, turns: [{ startMs: t, endMs: t + 5, calls: [search] }] },
    ],
  };
  expect([(await recordedOf(run)).faults, (await recordedOf(written, '{"type":"resu')).faults]).toEqual([
    [{ kind: "call", detail: "a0 grep: rg was not found" }],
    [{ kind: "transcript", detail: "a0: 1 lines cannot be read" }],
  ]);
});
