// One replacement: bytes outside it never change, line endings fit, and what cannot be meant clearly is refused.

import fc from "fast-check";
import { expect, test } from "vitest";
import { applyEdit, bytesOf, contentOf } from "./edit-text.ts";

const bytes = (text: string) => contentOf(Buffer.from(text, "utf8"));

/** The outcome as text. */
function edited(content: string, oldString: string, newString: string, all = false): unknown {
  const result = applyEdit(bytes(content), { old_string: oldString, new_string: newString, replace_all: all });
  return result.ok ? Buffer.from(bytesOf(result.value.content)).toString("utf8") : result.error;
}

test("S23 a CRLF file is edited with LF strings and stays CRLF", () => {
  expect([
    edited("a\r\nb\r\nc\r\n", "a\nb", "a\nB\nx"),
    edited("a\r\nb\r\nc\r\n", "b", "b1\nb2"),
    edited("a\r\nb\r\nc\r\n", "\nb\n", "\n"),
    edited("a\r\nb", "b", "b\nc"),
  ]).toEqual(["a\r\nB\r\nx\r\nc\r\n", "a\r\nb1\r\nb2\r\nc\r\n", "a\r\nc\r\n", "a\r\nb\r\nc"]);
});

test("S23 mixed endings, bare CR, no final newline and a BOM: a one-line edit changes one line", () => {
  expect([
    edited("a\nb\r\nc\n", "a\nb\nc", "a\nB\nc"),
    edited("a\rb\nc", "c", "C"),
    edited("\ufeffa\r\nb\n", "a\nb", "A\nb"),
    edited("a\r\nb\n", "a\nb\n", "a\nb\nc\n"),
  ]).toEqual(["a\nB\r\nc\n", "a\rb\nC", "\ufeffA\r\nb\n", "a\r\nb\nc\n"]);
});

test("CRLF that is written out is meant", () => {
  expect([
    edited("a\r\nb\r\n", "a\r\nb\r\n", "a\nb\n"),
    edited("a\nb\n", "a\nb", "a\r\nb"),
    edited("a\n", "a\r\n", "b"),
  ]).toEqual(["a\nb\n", "a\r\nb\n", { kind: "not-found" }]);
});

test("a passage that occurs more than once is ambiguous, with the lines, overlaps included", () => {
  expect([
    edited("x = 1\ny\nx = 1\n", "x = 1", "x = 2"),
    edited("a\naaa", "aa", "b"),
    edited("\r\n\r\n\r\n", "\n\n", "\n"),
  ]).toEqual([
    { kind: "ambiguous", lines: [1, 3] },
    { kind: "ambiguous", lines: [2, 2] },
    { kind: "ambiguous", lines: [1, 2] },
  ]);
});

test("replace_all replaces every occurrence, each with the endings at its place", () => {
  expect([
    edited("a\nb\r\na\nb\r\n", "a\nb", "b\na", true),
    edited("aaa", "aa", "b", true),
    edited("$x$", "$", "$&", true),
  ]).toEqual(["b\na\r\nb\na\r\n", "ba", "$&x$&"]);
});

test("strings that mean nothing are refused", () => {
  expect([edited("a", "", "b"), edited("a", "a", "a"), edited("a", "b", "c"), edited("a", "a", "\ud800")]).toEqual([
    { kind: "empty" },
    { kind: "no-change" },
    { kind: "not-found" },
    { kind: "not-text" },
  ]);
});

test("bytes that are no UTF-8 stay as they are", () => {
  const latin1 = Uint8Array.from([0xe4, 0x0a, 0x61, 0x0a, 0xff, 0x00]);
  const result = applyEdit(contentOf(latin1), { old_string: "a", new_string: "ä" });
  expect(result.ok ? [...bytesOf(result.value.content)] : result).toEqual([0xe4, 0x0a, 0xc3, 0xa4, 0x0a, 0xff, 0x00]);
});

test("any passage without line breaks is replaced as splitting and joining replaces it", () => {
  const letters = fc.string({ unit: fc.constantFrom("a", "b", "ä", "\r\n", " ", "."), maxLength: 12 });
  const word = fc.string({ unit: fc.constantFrom("a", "b", "ä", "."), minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(letters, word, word, (content, from, to) => {
      fc.pre(from !== to && content.includes(from));
      expect(edited(content, from, to, true)).toBe(content.split(from).join(to));
    }),
    { seed: 7 },
  );
});
