// Codex's answer about its hooks, as 0.171.0 gave it.

import { expect, test } from "vitest";
import { approvalIn } from "./approval.ts";

const hook = (
  trustStatus: string,
  command = "[ ! -x '/d/skein/skein-hook' ] || '/d/skein/skein-hook' codex",
  enabled = true,
) => ({
  key: "/home/u/.codex/hooks.json:session_start:0:0",
  eventName: "sessionStart",
  handlerType: "command",
  command,
  source: "user",
  enabled,
  isManaged: false,
  currentHash: "sha256:9e87",
  trustStatus,
});
const answer = (...hooks: readonly object[]) => ({ data: [{ cwd: "/repo", hooks, warnings: [], errors: [] }] });

test("approved only where each of ours is, whatever others are", () => {
  expect([
    approvalIn(answer(hook("trusted"), hook("trusted"), hook("untrusted", "echo other"))),
    approvalIn(answer(hook("trusted"), hook("untrusted"), hook("modified"))),
    approvalIn(answer(hook("trusted", undefined, false))),
    approvalIn(answer(hook("a word of a later version"))),
  ]).toEqual([
    { kind: "approved" },
    { kind: "waits", count: 2, of: 3 },
    { kind: "waits", count: 1, of: 1 },
    { kind: "waits", count: 1, of: 1 },
  ]);
});

test("an answer without ours, or none at all, says nothing", () => {
  const answers = [
    answer(),
    answer(hook("trusted", "echo other")),
    {},
    null,
    { data: "?" },
    { data: [null, { hooks: [1] }] },
  ];
  expect(answers.map(approvalIn)).toEqual(answers.map(() => ({ kind: "unknown" })));
});
