// Lines of a session's events.jsonl as Copilot CLI 1.0.102 writes them, cut down to what stands for something.

import { expect, test } from "vitest";
import { copilotEvidence } from "./evidence.ts";

const at = Date.parse("2026-11-30T09:08:07.340Z");
const line = (type: string, data: object): string =>
  JSON.stringify({ type, data, id: "0e8faf66", timestamp: "2026-11-30T09:08:07.340Z", parentId: null });

test("P18 an interrupt", () => {
  expect(copilotEvidence.fromTranscript(line("abort", { reason: "user_initiated" }))).toEqual({
    kind: "interrupted",
    at,
  });
});

test("work that goes on, and lines that say nothing of it", () => {
  const lines = [
    line("assistant.turn_start", { turnId: "1" }),
    line("assistant.message", { content: "ok" }),
    line("tool.execution_complete", { toolCallId: "call_1" }),
    line("assistant.turn_end", { turnId: "1" }),
    line("hook.start", { hookType: "agentStop", input: { type: "assistant.message" } }),
    line("user.message", { content: '{"type":"abort"}' }),
    '{"type":"assistant.message","data":{}}',
    '{"type":"assistant.message","data":{"content":"torn',
    '{"type":"toString","data":{},"timestamp":"2026-11-30T09:08:07.340Z"}',
    "",
  ];
  const active = { kind: "active", at };
  expect(lines.map(copilotEvidence.fromTranscript)).toEqual([
    active,
    active,
    active,
    ...lines.slice(3).map(() => null),
  ]);
});
