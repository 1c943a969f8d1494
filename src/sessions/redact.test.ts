// Which words of a person are taken out before others see them, and which are not.

import { expect, test } from "vitest";
import { redact } from "./redact.ts";

const long = "a1B2c3D4e5F6";

test.each([
  [`sk-ant-api03-${long}${long}`, "[redacted]"],
  [`key is ghp_${long}${long}.`, "key is [redacted]."],
  [`github_pat_${long}_${long}`, "[redacted]"],
  ["AKIAIOSFODNN7EXAMPLE", "[redacted]"],
  [`AIza${long}${long}`, "[redacted]"],
  [`xoxb-1234-${long}`, "[redacted]"],
  ["eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dozjgNryP4J3", "[redacted]"],
  ["password: hunter2 please", "password: [redacted] please"],
  ['"api_key": "abc123"', '"api_key": "[redacted]"'],
  ["MY_SECRET=tiny and more", "MY_SECRET=[redacted] and more"],
  ["curl -H 'Authorization: Bearer abcdefgh12345'", "curl -H 'Authorization: [redacted]'"],
  ["postgres://jo:pw@db.local/x", "postgres://[redacted]@db.local/x"],
  ["ask jo.doe+x@mail.example.com", "ask [redacted]"],
  ["-----BEGIN PRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY----- after", "[redacted] after"],
  ["deadbeef".repeat(5).replace(/d/g, "4"), "[redacted]"],
])("%j", (text, expected) => {
  expect(redact(text)).toBe(expected);
});

test("what is no secret stays word for word", () => {
  const texts = [
    "Fix the tokenizer in src/parser/tokens.ts and run npm test",
    "rename getUserAuthenticationProviderConfiguration everywhere",
    "the token count is wrong in the summary",
    "compare commit 38793b0 with main @ 12:00",
    "docs/architecture/decisions/how-we-merge-conflicts-in-workspaces.md",
  ];
  expect(texts.map(redact)).toEqual(texts);
});
