// Which endings leave a task as it was: those that another provider, a mended key or room on the disk would have kept from coming.

import { expect, test } from "vitest";
import type { AgentResult } from "../../agent/spec.ts";
import { NO_TOTALS } from "../../agent/totals.ts";
import type { FileError } from "../../host/files.ts";
import type { ModelError } from "../../model/provider.ts";
import { simHost } from "../../testing/sim/host.ts";
import { DiskWatch } from "./disk-watch.ts";
import { interruptionOf } from "./interruption.ts";

const sums = { messages: [], requests: 1, turn: 1, totals: NO_TOTALS };
const real = { name: "openai/gpt", scripted: false };
const scripted = { name: "script:s", scripted: true };

function around(provider = real, more: { stopping?: string; isOver?: boolean } = {}) {
  const { stopping = null, isOver = false } = more;
  return { provider, stopping, isOver, disk: new DiskWatch(simHost({ seed: 1 }).files) };
}

function failed(code: ModelError["code"]): AgentResult {
  return { kind: "model-error", error: { kind: "model", code, message: "it says so", retryAfterMs: null }, ...sums };
}

const unrecorded = (code: FileError["code"]): AgentResult => ({
  kind: "record-failed",
  error: { kind: "file", code, path: "/agents/a1.jsonl", message: "E: no" },
  ...sums,
});

test("H16 a provider that does not serve interrupts; what the request itself is blamed for is the task's end", () => {
  const codes = [
    ...([
      "unauthorized",
      "quota",
      "rate-limit",
      "overloaded",
      "not-found",
      "unreachable",
      "network",
      "bad-answer",
      "other",
    ] as const),
    ...(["bad-request", "refusal", "no-content", "script", "replay"] as const),
  ];
  const stops = codes.filter((code) => interruptionOf(failed(code), around()) !== null);
  expect(stops).toEqual(codes.slice(0, 9));
  expect(interruptionOf(failed("quota"), around())).toEqual({
    reason: "the model openai/gpt failed (quota): it says so",
    stops: true,
  });
});

test("a script's error is final, whatever its code", () => {
  expect(interruptionOf(failed("quota"), around(scripted))).toBe(null);
});

test("where the run stops already, that is the reason, and nothing more is stopped", () => {
  const stopping = around(real, { stopping: "enough" });
  const given = { reason: "enough", stops: false };
  const endings: readonly AgentResult[] = [
    failed("other"),
    { kind: "budget", reason: "enough", ...sums },
    { kind: "cancelled", ...sums },
  ];
  expect(endings.map((ending) => interruptionOf(ending, stopping))).toEqual([given, given, given]);
});

test("S21 a disk that refuses the transcript interrupts; another fault of its path does not", () => {
  const refused = { reason: "the disk refused: /agents/a1.jsonl: E: no", stops: true };
  const codes = ["no-space", "io", "read-only", "denied", "not-found"] as const;
  expect(codes.map((code) => interruptionOf(unrecorded(code), around()))).toEqual([
    refused,
    refused,
    refused,
    null,
    null,
  ]);
});

test("a job that was told to end says nothing more, and an ending that a tool gave stands", async () => {
  expect(interruptionOf({ kind: "cancelled", ...sums }, around(real, { stopping: "enough", isOver: true }))).toBe(null);
  expect(interruptionOf({ kind: "ended", value: 1, ...sums }, around(real, { stopping: "enough" }))).toBe(null);
});
