// Arguments as text: what is whole, what is malformed, and what nothing means.

import { expect, test } from "vitest";
import { parseArguments, type WrittenArguments } from "./arguments.ts";

const tool = {
  name: "look",
  description: "",
  inputSchema: { type: "object", properties: { path: { type: "string" } } },
};
const bare = { ...tool, inputSchema: { type: "object" } };

const parsed = (text: string, changes: Partial<WrittenArguments> = {}) =>
  parseArguments({ text, cut: false, emptyMeansNone: false, tool, ...changes });

test("text that parses is parsed, whatever it is; the rest stays as it was", () => {
  expect([
    parsed('{"path":"a"}'),
    parsed("[1]"),
    parsed('{"path":"a'),
    parsed("{'path': 'a'}"),
    parsed('{"path":"a"} and more'),
  ]).toEqual([
    { kind: "parsed", value: { path: "a" } },
    { kind: "parsed", value: [1] },
    { kind: "malformed", text: '{"path":"a' },
    { kind: "malformed", text: "{'path': 'a'}" },
    { kind: "malformed", text: '{"path":"a"} and more' },
  ]);
});

test("no text is a call without arguments only where the protocol says so, or the tool takes none, and nothing was cut", () => {
  const none = { kind: "parsed", value: {} };
  const malformed = { kind: "malformed", text: "" };
  expect([
    parsed(""),
    parsed("", { tool: undefined }),
    parsed("", { tool: bare }),
    parsed("", { emptyMeansNone: true }),
    parsed("", { tool: bare, cut: true }),
    parsed("", { emptyMeansNone: true, cut: true }),
  ]).toEqual([malformed, malformed, none, none, malformed, malformed]);
});
