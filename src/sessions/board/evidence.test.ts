// When evidence counts against what hooks told, and what each client's own files say.

import { expect, test } from "vitest";
import { claudeCodeEvidence } from "../../clients/claude-code/evidence.ts";
import { codexEvidence } from "../../clients/codex/evidence.ts";
import type { Facts } from "../presence/line.ts";
import { awaitsPrompt, noTurn, type SessionState, type Turn, working } from "../presence/session-state.ts";
import { type Evidence, type FoundEvidence, withEvidence } from "./evidence.ts";

const at = (state: SessionState, toldAt: number, more: Partial<Turn> = {}): Turn => ({
  ...noTurn,
  state,
  since: toldAt,
  toldAt,
  beganAt: 1_000,
  ...more,
});
const seen = (evidence: Evidence): FoundEvidence => ({ evidence, source: "transcript" });
const said = (evidence: Evidence): FoundEvidence => ({ evidence, source: "client" });
const asks: SessionState = { kind: "waiting", reason: "permission: Bash" };

function judged(turn: Turn, found: readonly FoundEvidence[], now = 100_000) {
  const { turn: after, source } = withEvidence(turn, found, now);
  return [after.state.kind, "reason" in after.state ? after.state.reason : null, after.since, source];
}

test.each<[string, Turn, readonly FoundEvidence[], readonly unknown[]]>([
  [
    "P18 B8 an interrupt after the last event",
    at(working, 5_000),
    [seen({ kind: "interrupted", at: 8_000 })],
    ["waiting", "interrupted", 8_000, "transcript"],
  ],
  [
    "P18 B8 the interrupted call's own hook comes a little later",
    at(working, 9_000),
    [seen({ kind: "interrupted", at: 8_000 })],
    ["waiting", "interrupted", 9_000, "transcript"],
  ],
  [
    "B6 an interrupt before the last prompt is an old one",
    at(working, 9_000, { beganAt: 9_000 }),
    [seen({ kind: "interrupted", at: 8_000 })],
    ["working", null, 9_000, "hooks"],
  ],
  [
    "B6 work that went on long after it",
    at(working, 20_000),
    [seen({ kind: "interrupted", at: 8_000 })],
    ["working", null, 20_000, "hooks"],
  ],
  ...(["interrupted", "active", "idle"] as const).map(
    (kind): [string, Turn, readonly FoundEvidence[], readonly unknown[]] => [
      `B6 a session that has ended stays so: ${kind}`,
      at({ kind: "ended", reason: null }, 9_000),
      [seen({ kind, at: 8_500 }), said({ kind, at: 9_500 })],
      ["ended", null, 9_000, "hooks"],
    ],
  ),
  [
    "B6 a turn that goes on after its end",
    at(awaitsPrompt, 5_000),
    [seen({ kind: "active", at: 6_000 })],
    ["working", null, 6_000, "transcript"],
  ],
  [
    "B6 work from before the turn's end",
    at(awaitsPrompt, 5_000),
    [seen({ kind: "active", at: 4_900 })],
    ["waiting", "a prompt", 5_000, "hooks"],
  ],
  [
    "P19 B7 answered: its client says that it is busy again",
    at(asks, 5_000),
    [said({ kind: "active", at: 7_000 })],
    ["working", null, 7_000, "client"],
  ],
  [
    "P18 B7 idle, and no hook told of an end",
    at(working, 5_000),
    [said({ kind: "idle", at: 7_000 })],
    ["waiting", "a prompt", 7_000, "client"],
  ],
  [
    "B7 idle ends what was thought to go on in the background",
    at(working, 5_000, { background: 1 }),
    [said({ kind: "idle", at: 7_000 })],
    ["waiting", "a prompt", 7_000, "client"],
  ],
  [
    "B7 an objection to the turn's end: busy since before it, and still",
    at(awaitsPrompt, 5_000),
    [said({ kind: "active", at: 2_000 })],
    ["working", null, 5_000, "client"],
  ],
  [
    "B7 a question that no hook told",
    at(working, 5_000),
    [said({ kind: "waiting", at: 7_000, reason: "a question" })],
    ["waiting", "a question", 7_000, "client"],
  ],
  [
    "B3 hooks say more exactly what for",
    at(asks, 5_000),
    [said({ kind: "waiting", at: 7_000, reason: "permission" })],
    ["waiting", "permission: Bash", 5_000, "hooks"],
  ],
  [
    "what came last counts",
    at(asks, 5_000),
    [seen({ kind: "interrupted", at: 9_000 }), seen({ kind: "active", at: 7_000 })],
    ["waiting", "interrupted", 9_000, "transcript"],
  ],
])("%s", (_, turn, found, wanted) => {
  expect(judged(turn, found)).toEqual(wanted);
});

test("B7 the client's state is believed only when a hook would have told otherwise by now", () => {
  const turn = at(awaitsPrompt, 5_000);
  const busy = [said({ kind: "active", at: 4_900 })];
  expect([judged(turn, busy, 5_500)[0], judged(turn, busy, 6_001)[0]]).toEqual(["waiting", "working"]);
});

/** As Claude Code 2.1.332 writes them, without what is not looked at. */
test("Claude Code's transcript", () => {
  const line = (value: object): string => JSON.stringify({ timestamp: "2026-11-30T04:22:15.254Z", ...value });
  const user = (content: unknown, more: object = {}): string =>
    line({ type: "user", message: { role: "user", content }, ...more });
  const atMs = Date.UTC(2026, 10, 30, 4, 22, 15, 254);
  const result = (content: string) => [{ type: "tool_result", tool_use_id: "t", content }];
  const assistant = (model: string) => line({ type: "assistant", message: { role: "assistant", model, content: [] } });
  expect(
    [
      user([{ type: "text", text: "[Request interrupted by user for tool use]" }]),
      user([{ type: "text", text: "[Request interrupted by user]" }]),
      assistant("claude-opus-5-5"),
      user(result("done")),
      user("Stop hook feedback:\n- not yet", { isMeta: true }),
      user(result("The user doesn't want to proceed with this tool use. The tool use was rejected")),
      user("please go on"),
      user(result("done"), { isSidechain: true }),
      assistant("<synthetic>"),
      line({ type: "system", subtype: "turn_duration", durationMs: 8644 }),
      user(result("done")).slice(0, -5),
      '{"type":"user"}',
    ].map((text) => claudeCodeEvidence.fromTranscript(text)),
  ).toEqual([
    { kind: "interrupted", at: atMs },
    { kind: "interrupted", at: atMs },
    { kind: "active", at: atMs },
    { kind: "active", at: atMs },
    { kind: "active", at: atMs },
    ...Array(7).fill(null),
  ]);
});

test("Claude Code's own state, of this session and no other", () => {
  const facts = {
    session: "s-1",
    process: { pid: 141, start: null },
    transcript: "/home/u/.claude/projects/-repo/s-1.jsonl",
  } as unknown as Facts;
  const state = (status: string, more: object = {}) =>
    claudeCodeEvidence.fromState(
      JSON.stringify({ pid: 141, sessionId: "s-1", status, statusUpdatedAt: 7, ...more }),
      facts,
    );
  expect(claudeCodeEvidence.statePath(facts)).toBe("/home/u/.claude/sessions/141.json");
  expect(claudeCodeEvidence.statePath({ ...facts, transcript: "/elsewhere/s-1.jsonl" })).toBe(null);
  expect([
    state("busy"),
    state("idle"),
    state("waiting", { waitingFor: "permission prompt" }),
    state("waiting", { waitingFor: "input needed" }),
    state("shell"),
    state("busy", { sessionId: "s-2" }),
    state("busy", { statusUpdatedAt: "7" }),
    claudeCodeEvidence.fromState("{", facts),
  ]).toEqual([
    { kind: "active", at: 7 },
    { kind: "idle", at: 7 },
    { kind: "waiting", at: 7, reason: "permission" },
    { kind: "waiting", at: 7, reason: "a question" },
    null,
    null,
    null,
    null,
  ]);
});

/** As Codex 0.171.0 writes them. */
test("Codex's rollout", () => {
  const event = (payload: object): string =>
    JSON.stringify({ timestamp: "2026-11-30T04:27:01.876Z", type: "event_msg", payload });
  const atMs = Date.UTC(2026, 10, 30, 4, 27, 1, 876);
  expect(
    [
      event({ type: "turn_aborted", reason: "interrupted" }),
      event({ type: "task_complete" }),
      event({ type: "task_started" }),
      event({ type: "item_completed", item: { type: "CommandExecution" } }),
      event({ type: "item_completed", item: { type: "UserMessage" } }),
      event({ type: "token_count" }),
      '{"timestamp":"2026-11-30T04:27:01.876Z","type":"response_item","payload":{"type":"turn_aborted"}}',
      event({ type: "turn_aborted" }).slice(0, 40),
    ].map((text) => codexEvidence.fromTranscript(text)),
  ).toEqual([
    { kind: "interrupted", at: atMs },
    { kind: "idle", at: atMs },
    { kind: "active", at: atMs },
    { kind: "active", at: atMs },
    ...Array(4).fill(null),
  ]);
});
