// Keys do not reach the model or a transcript through a tool's answer.

import { expect, test } from "vitest";
import { z } from "zod";
import { asAgentId, asCallId } from "../base/ids.ts";
import { withoutSecrets } from "./redact.ts";
import { defineTool, loneCall } from "./tool.ts";

const show = defineTool({
  name: "show",
  description: "",
  input: z.object({ text: z.string() }),
  effect: "read",
  run: async ({ text }) => ({ kind: "text", text }),
});

test("a key is removed wherever it stands, other text is not, and what is too short is no key", async () => {
  const [tool] = withoutSecrets([show], ["sk-secret-0123", "PATH"]);
  const context = loneCall({ agent: asAgentId("a1"), callId: asCallId("c1"), signal: new AbortController().signal });
  expect(await tool?.run({ text: "KEY=sk-secret-0123 PATH=/bin sk-secret-0123!" }, context)).toEqual({
    kind: "text",
    text: "KEY=[key removed] PATH=/bin [key removed]!",
  });
});
