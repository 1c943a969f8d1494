// Going round in circles: what counts as a repetition and what does not.

import { expect, test } from "vitest";
import { asCallId } from "../base/ids.ts";
import type { Message } from "../model/message.ts";
import { circling } from "./repeats.ts";

/** One turn: a call of `name` with arguments, and its result. */
function turn(name: string, value: unknown, text: string): readonly Message[] {
  const id = asCallId("c");
  return [
    { role: "assistant", text: "", calls: [{ id, name, arguments: { kind: "parsed", value } }] },
    { role: "tool", results: [{ callId: id, name, text, isError: false }] },
  ];
}

const user: Message = { role: "user", text: "go" };
const read = turn("read_file", { path: "a", offset: 1 }, "text");
const other = turn("read_file", { path: "b" }, "text");

test("S13 the same call with the same result is a circle, whatever the order of its arguments", () => {
  const swapped = turn("read_file", { offset: 1, path: "a" }, "text");
  expect(circling([user, ...read, ...swapped, ...read], 3)).toBe(
    "the same calls with the same arguments gave the same results 3 times in a row (read_file)",
  );
});

test("S13 two calls that take turns are a circle too", () => {
  expect(circling([user, ...read, ...other, ...read, ...other], 2)).toBe(
    "the same calls with the same arguments gave the same results 2 times in a row (read_file)",
  );
});

test("another result, other arguments, a pause or a user message are none", () => {
  const changed = turn("read_file", { path: "a", offset: 1 }, "other text");
  const histories = [
    [user, ...read, ...read, ...changed],
    [user, ...read, ...read],
    [user, ...read, ...other, ...read, ...read],
    [user, ...read, ...read, user, ...read],
  ];
  expect(histories.map((history) => circling(history, 3))).toEqual([null, null, null, null]);
});
