// Who a directory of notes belongs to, as people read it, from its name.

import { expect, test } from "vitest";
import { asSessionKey } from "../presence/ids.ts";
import { whoOf } from "./places.ts";

test.each([
  ["claude-code_01234567-89ab-cdef_0a1b2c3d", "claude-code 01234567"],
  ["codex_abc_h", "codex abc"],
  ["codex_one_two_h", "codex one-two-"],
  ["codex_01234567-89ab+fedcba98-7654_h", "codex 01234567+fedcba98"],
  ["codex_a+b+c_h", "codex a+b"],
  ["codex_h", "codex_h"],
  ["codex__h", "codex__h"],
  ["by-hand", "by-hand"],
])("%s is of %s", (key, who) => {
  expect(whoOf(asSessionKey(key))).toBe(who);
});
