// The table of docs/spec/board.md, row by row: what a session does after these events.

import { expect, test } from "vitest";
import type { Line } from "./line.ts";
import { nextTurn, noTurn, type Turn, type TurnEvent } from "./session-state.ts";

type Told = Pick<TurnEvent, "kind"> & Partial<TurnEvent>;

/** Events a second apart, the first at second 1. */
function after(...events: readonly Told[]): Turn {
  return events.reduce<Turn>((turn, event, index) => {
    const line = { source: null, reason: null, background: null, person: null, ...event, at: (index + 1) * 1_000 };
    return nextTurn(turn, line, { first: index === 0, newProcess: index === 0 });
  }, noTurn);
}

const brief = ({ state, since }: Turn) => [state.kind, "reason" in state ? state.reason : null, since / 1_000];

const prompt: Told = { kind: "prompt", person: true };
const start = (source: string): Told => ({ kind: "session-started", source });
const asks = (reason: string): Told => ({ kind: "waiting", reason });
const over = (background: number | null): Told => ({ kind: "turn-ended", background });

test.each<[string, readonly Told[], readonly [string, string | null, number]]>([
  ["a start waits for the first prompt", [start("startup")], ["waiting", "a prompt", 1]],
  ["B1 a prompt begins to work", [start("startup"), prompt], ["working", null, 2]],
  [
    "B1 what it does then is the same stretch of work",
    [prompt, { kind: "shell-started" }, { kind: "files-edited" }],
    ["working", null, 1],
  ],
  ["B1 another prompt of a person begins anew", [prompt, prompt], ["working", null, 2]],
  ["B2 a turn's end waits", [prompt, over(0)], ["waiting", "a prompt", 2]],
  ["P17 B2 not while something goes on in the background", [prompt, over(2)], ["working", null, 1]],
  ["P17 B2 nor when the client then says idle", [prompt, over(2), asks("idle")], ["working", null, 1]],
  ["B2 idle after a turn's end is nothing new", [prompt, over(0), asks("idle")], ["waiting", "a prompt", 2]],
  [
    "P19 B3 a permission waits, with its reason",
    [prompt, asks("permission: Bash")],
    ["waiting", "permission: Bash", 2],
  ],
  [
    "P19 B3 told twice, it keeps the fuller words",
    [prompt, asks("permission: Bash"), asks("permission")],
    ["waiting", "permission: Bash", 2],
  ],
  [
    "P19 B3 nor does a question become a permission",
    [prompt, asks("a question"), asks("permission")],
    ["waiting", "a question", 2],
  ],
  [
    "P19 B3 another question is another wait",
    [prompt, asks("permission: Bash"), asks("a question")],
    ["waiting", "a question", 3],
  ],
  ["P19 B3 answered, it works", [prompt, asks("permission: Bash"), { kind: "shell-ended" }], ["working", null, 3]],
  [
    "P20 a prompt of a subagent's completion works",
    [prompt, over(1), { kind: "prompt", person: false }],
    ["working", null, 1],
  ],
  ["B8 an interrupt that is told", [prompt, { kind: "interrupted" }], ["waiting", "interrupted", 2]],
  ["B5 a compaction in a turn", [prompt, { kind: "compacting" }, start("compact")], ["working", null, 1]],
  [
    "B5 a compaction that its person asked for",
    [prompt, over(0), { kind: "compacting" }, start("compact")],
    ["waiting", "a prompt", 4],
  ],
  ["an end", [prompt, { kind: "session-ended", reason: "exit" }], ["ended", "exit", 2]],
  ["an end that was none", [prompt, { kind: "session-ended", reason: null }, { kind: "moved" }], ["working", null, 3]],
  ["a start that comes late", [prompt, start("startup")], ["working", null, 1]],
  ["a resume", [prompt, { kind: "session-ended", reason: null }, start("resume")], ["waiting", "a prompt", 3]],
])("%s", (_, events, wanted) => {
  expect(brief(after(...events))).toEqual(wanted);
});

test("B4 an intent or another directory says nothing of the turn, and time passes without effect", () => {
  const kinds: readonly Line["kind"][] = ["moved", "intent", "crew"];
  const turn = after(prompt, asks("permission: Bash"));
  const later = kinds.map((kind) =>
    nextTurn(
      turn,
      { kind, at: 9e12, source: null, reason: null, background: null, person: null },
      { first: false, newProcess: false },
    ),
  );
  expect(later).toEqual([turn, turn, turn]);
});

test("P20 B12 turns and prompts are a person's: what wakes a session by itself is counted as neither", () => {
  const { ended, prompts, endedAt, beganAt } = after(
    prompt,
    over(1),
    { kind: "prompt", person: false },
    over(0),
    prompt,
  );
  expect({ ended, prompts, endedAt, beganAt }).toEqual({ ended: 1, prompts: 2, endedAt: 4_000, beganAt: 5_000 });
});
