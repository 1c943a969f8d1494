// What of a text may reach a terminal.

import { expect, test } from "vitest";
import { cleanOutput } from "./clean-output.ts";

const esc = "\u001b";
const hostile = `a${esc}[2Jb${esc}]0;title\u0007c${esc}[8mhidden\rd\u009b31me\u202ef\tg\nh`;
const cleaned = "a\ufffd[2Jb\ufffd]0;title\ufffdc\ufffd[8mhidden\ufffdd\ufffd31me\ufffdf\tg\nh";

test.each([true, false])("control characters are replaced, tabs and line ends stay (colors: %s)", (colors) => {
  expect(cleanOutput(hostile, { colors })).toBe(cleaned);
});

test("our own colours come through where there are any, and nowhere else", () => {
  const painted = `${esc}[1m${esc}[32mdone${esc}[39m${esc}[22m`;
  expect(cleanOutput(painted, { colors: true })).toBe(painted);
  expect(cleanOutput(painted, { colors: false })).toBe("\ufffd[1m\ufffd[32mdone\ufffd[39m\ufffd[22m");
});

test("what looks like our colours and is more is not ours", () => {
  expect(cleanOutput(`${esc}[1;8mx${esc}[38;5;1my`, { colors: true })).toBe("\ufffd[1;8mx\ufffd[38;5;1my");
});
