// Words for a shell, read back by one.

import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { shellWord } from "./shell-word.ts";

test.each([
  ["/src/tool", "/src/tool"],
  ["/a b", "'/a b'"],
  ["it's", "'it'\\''s'"],
  ["a\u001b[2J'b\\\n$x", "$'a\\u001b[2J\\'b\\\\\\u000a$x'"],
  ["größe\u009b", "$'größe\\u009b'"],
  ["", "''"],
])("%j is %s, which bash reads as the same word", (word, quoted) => {
  expect(shellWord(word)).toBe(quoted);
  const env = { PATH: process.env.PATH ?? "", LC_ALL: "C.UTF-8" };
  expect(
    execFileSync("bash", ["-c", `printf %s ${quoted}`], {
      env,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "inherit"],
    }),
  ).toBe(word);
});
