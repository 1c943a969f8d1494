// What others see of a run that waits for its person, and that its agent is told who is here when its history was made shorter.

import { expect, test } from "vitest";
import type { ApprovalEvent } from "../agent/approval/question.ts";
import type { ClientAction } from "../sessions/client-event.ts";
import { seenApprovals, seenCompaction } from "./seen-run.ts";

function watched() {
  const noted: ClientAction[] = [];
  const own = {
    note: async (action: ClientAction) => {
      noted.push(action);
      return action.kind === "session-started" ? "the block" : null;
    },
    crew: async () => {},
  };
  return { own, noted };
}

test("P19: a run waits as long as any of its questions is open, and is at work again after the last answer", () => {
  const { own, noted } = watched();
  const passed: string[] = [];
  const tell = seenApprovals(own, ({ kind }) => passed.push(kind));
  const question = (number: number, tool: string): ApprovalEvent["question"] => ({ number, tool }) as never;
  tell({ kind: "waiting", question: question(1, "bash") });
  tell({ kind: "waiting", question: question(2, "write_file") });
  tell({ kind: "answered", question: question(1, "bash"), answer: "covered", waitedMs: 5 });
  tell({ kind: "answered", question: question(2, "write_file"), answer: "none", waitedMs: 5 });
  expect([noted, passed]).toEqual([
    [
      { kind: "waiting", reason: "permission: bash" },
      { kind: "waiting", reason: "permission: write_file" },
      { kind: "seen" },
    ],
    ["waiting", "waiting", "answered", "answered"],
  ]);
});

test("P11: a compaction is told to others, and the agent gets the block after it", async () => {
  const { own, noted } = watched();
  const passed: string[] = [];
  const ports = seenCompaction(own, ({ kind }) => passed.push(kind));
  ports.onEvent({ kind: "compaction-started", turn: 3, tokensBefore: 900 });
  expect([await ports.compacted(), noted, passed]).toEqual([
    "the block",
    [{ kind: "compacting" }, { kind: "session-started", source: "compact" }],
    ["compaction-started"],
  ]);
});
