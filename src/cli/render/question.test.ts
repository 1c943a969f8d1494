// What a person sees of a command before they answer for it.

import pc from "picocolors";
import { expect, test } from "vitest";
import { asAgentId, asCallId } from "../../base/ids.ts";
import { questionLines } from "./question.ts";

test("the longest command that a tool takes is shown to its end", () => {
  const end = "; rm -rf important";
  // The tool's limit: 50,000 characters.
  const command = `echo ${"x".repeat(50_000 - 5 - end.length)}${end}`;
  const lines = questionLines(
    {
      ...{ number: 1, agent: asAgentId("a0"), parent: null, turn: 1, callId: asCallId("c"), tool: "bash", why: "w" },
      subject: { kind: "command", command, directory: "/" },
    },
    pc.createColors(false),
  );
  expect(lines.join("\n").endsWith(end)).toBe(true);
});
