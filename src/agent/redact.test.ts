// Keys do not reach the model or a transcript through a tool's answer.

import fc from "fast-check";
import { expect, test } from "vitest";
import { z } from "zod";
import { asAgentId, asCallId } from "../base/ids.ts";
import { SecretFilter, withoutSecrets } from "./redact.ts";
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

test("in bytes that come in pieces a key is removed wherever the pieces are cut, and nothing else is changed", () => {
  const part = fc.constantFrom("sk-secret-0123", "sk-secret-", "0123", "sk-", "väärä-avain", "vää", "\n", "x");
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), fc.array(fc.nat(160), { maxLength: 8 }), (parts, cuts) => {
      const whole = parts.join("");
      const bytes = Buffer.from(whole);
      const filter = new SecretFilter(["sk-secret-0123", "väärä-avain", "x"]);
      const ends = [...cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length];
      const pieces = ends.map((end, index) => bytes.subarray(index === 0 ? 0 : ends[index - 1], end));
      const out = Buffer.concat([...pieces.map((piece) => filter.take(piece)), filter.end()]).toString();
      const hidden = "[key removed]";
      expect(out).toBe(whole.replaceAll("sk-secret-0123", hidden).replaceAll("väärä-avain", hidden));
    }),
  );
});

test("of keys of which one begins another the longer one is removed whole", () => {
  const filter = new SecretFilter(["sk-secret", "sk-secret-0123"]);
  const out = Buffer.concat([
    filter.take(Buffer.from("a sk-secret")),
    filter.take(Buffer.from("-0123 sk-secret")),
    filter.end(),
  ]);
  expect(out.toString()).toBe("a [key removed] [key removed]");
});
