// Lines of a chat file as Gemini CLI 0.61.0 writes them, cut down to what stands for something.

import { expect, test } from "vitest";
import { geminiEvidence } from "./evidence.ts";

const at = Date.parse("2026-11-30T09:10:02.554Z");
const line = (fields: object): string =>
  JSON.stringify({ id: "a3819cdf", timestamp: "2026-11-30T09:10:02.554Z", ...fields });

test("P18 an interrupt, and work that goes on", () => {
  const result = { functionResponse: { id: "write_file__1", name: "write_file", response: { output: "done" } } };
  const lines = [
    line({ type: "info", content: "Request cancelled." }),
    line({ type: "info", content: "Update available" }),
    line({ type: "gemini", content: "fine", model: "gemini-2.5-pro" }),
    line({ type: "user", content: [result] }),
    line({ type: "user", content: [{ text: "Request cancelled." }] }),
    JSON.stringify({ $set: { lastUpdated: "2026-11-30T09:10:02.554Z" } }),
    line({ type: "gemini", timestamp: "tea" }),
    '{"id":"torn',
    "",
  ];
  expect(lines.map(geminiEvidence.fromTranscript)).toEqual([
    { kind: "interrupted", at },
    null,
    { kind: "active", at },
    { kind: "active", at },
    null,
    null,
    null,
    null,
    null,
  ]);
});
