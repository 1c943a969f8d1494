// Which command lines of `skein who` take the short way, and which are left to the whole command line.

import { expect, test } from "vitest";
import { plainFlags } from "./who-flags.ts";

test.each([
  [[], { json: false, all: false, repo: "." }],
  [["--json", "--all", "--json"], { json: true, all: true, repo: "." }],
  [["--repo=/a b=c", "--repo=x"], { json: false, all: false, repo: "x" }],
  [["--repo"], null],
  [["--repo="], null],
  [["--repo", "x"], null],
  [["--help"], null],
  [["--"], null],
  [["--jsonl"], null],
  [["more"], null],
] as const)("%j", (args, flags) => {
  expect(plainFlags(args)).toEqual(flags);
});
