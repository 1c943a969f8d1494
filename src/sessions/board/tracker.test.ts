// The board over real records, with a table of processes and a clock that the test holds.

import { appendFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { unwrap } from "../../base/result.ts";
import { EVIDENCE_READERS } from "../../clients/evidence-readers.ts";
import { PresenceRig } from "../../testing/sessions/presence-rig.ts";
import type { ClientAction } from "../client-event.ts";
import { nextAttention, noAttention, settleMs } from "./attention.ts";
import { changesBetween } from "./changes.ts";
import { BoardTracker } from "./tracker.ts";
import { type BoardView, isShown } from "./view.ts";

const started: ClientAction = { kind: "session-started", source: "startup" };
const prompt: ClientAction = { kind: "prompt", text: "Do the work now", byPerson: true };
const over = (background: number | null): ClientAction => ({ kind: "turn-ended", background });
const asks: ClientAction = { kind: "waiting", reason: "permission: Bash" };

/** The tracker over a rig; four looks see everything that is looked at less often than records. */
function boardOf(rig: PresenceRig) {
  const readers = new Map(EVIDENCE_READERS.map((reader) => [reader.client, reader]));
  const tracker = new BoardTracker({ registry: rig.registry, processes: rig.processes, readers, only: null });
  return {
    tracker,
    view: async (): Promise<BoardView> => {
      for (let look = 0; look < 3; look++) await tracker.look(rig.now);
      return tracker.look(rig.now);
    },
  };
}

const brief = ({ projects }: BoardView) =>
  projects.flatMap(({ rows }) =>
    rows.filter(isShown).map(({ row, state, because, needsPerson }) => {
      const told = state.kind === "working" ? state.kind : `${state.kind}: ${state.reason}`;
      return [row.session, told, because, needsPerson ? "needs you" : "-"];
    }),
  );

test("B4 P8 states as hooks tell them; the one that waits longest stands first; an hour of silence changes nothing", async () => {
  using rig = new PresenceRig();
  const { view } = boardOf(rig);
  const [a, b, c] = [rig.session("a"), rig.session("b"), rig.session("c")];
  await a.fire(prompt);
  await b.fire(prompt);
  await c.fire(prompt);
  await c.fire(over(0));
  await b.fire(asks);
  rig.now += 60 * 60_000;
  expect(brief(await view())).toEqual([
    ["c", "waiting: a prompt", "hooks", "needs you"],
    ["b", "waiting: permission: Bash", "hooks", "needs you"],
    ["a", "working", "hooks", "-"],
  ]);
});

test("B11 a death in mid-turn is shown, an end is not; a session that comes later is seen; nothing new is the same view", async () => {
  using rig = new PresenceRig();
  const { tracker, view } = boardOf(rig);
  const [a, b] = [rig.session("a"), rig.session("b")];
  await a.fire(prompt);
  await b.fire(prompt);
  const first = await view();
  expect(await tracker.look(rig.now)).toBe(first);
  rig.processes.end(a.pid);
  await b.fire({ kind: "session-ended", reason: "exit" });
  await rig.session("c").fire(started);
  const second = await view();
  expect(brief(second)).toEqual([
    ["c", "waiting: a prompt", "hooks", "needs you"],
    ["a", "ended: its process has ended", "process", "-"],
  ]);
  expect(changesBetween(first, second).map(({ kind, row }) => [kind, row.row.session])).toEqual([
    ["appeared", "c"],
    ["state", "a"],
    ["state", "b"],
  ]);
});

test("P17 B9 B10 a subagent's question is its session's, and subagents at work hold one whose client does not count them", async () => {
  using rig = new PresenceRig();
  const { view } = boardOf(rig);
  const codex = rig.session("x", { client: "codex" });
  await codex.fire(prompt);
  await codex.fire({ kind: "subagent-started", agentType: null }, { agent: "child" });
  await codex.fire(over(null));
  expect(brief(await view())).toEqual([["x", "working", "subagents", "-"]]);
  await codex.fire(asks, { agent: "child" });
  expect(brief(await view())).toEqual([["x", "waiting: permission: Bash", "subagents", "needs you"]]);
  await codex.fire({ kind: "subagent-ended" }, { agent: "child" });
  expect(brief(await view())).toEqual([["x", "waiting: a prompt", "hooks", "needs you"]]);
});

test("P18 P19 an interrupt and an answer without an event: transcript, the client's own state, a permitted command's process", async () => {
  using rig = new PresenceRig();
  const { view } = boardOf(rig);
  const home = join(rig.root, ".claude");
  for (const path of ["projects/p", "sessions"]) mkdirSync(join(home, path), { recursive: true });
  const transcript = join(home, "projects", "p", "cc.jsonl");
  const claude = rig.session("cc", { transcript });
  const codex = rig.session("cx", { client: "codex" });
  const said = (status: string): void =>
    writeFileSync(
      join(home, "sessions", `${claude.pid}.json`),
      JSON.stringify({ sessionId: "cc", status, statusUpdatedAt: rig.now }),
    );
  await claude.fire(prompt);
  await codex.fire(prompt);
  await codex.fire(asks);
  rig.now += 5_000;
  rig.processes.start(9_000, { parent: codex.pid, name: "bash" });
  rig.processes.ages.set(9_000, 3_000);
  said("idle");
  expect(brief(await view())).toEqual([
    ["cc", "waiting: a prompt", "client", "needs you"],
    ["cx", "working", "process", "-"],
  ]);
  await claude.fire(asks);
  rig.now += 5_000;
  said("busy");
  rig.processes.end(9_000);
  expect(brief(await view())).toEqual([
    ["cx", "waiting: permission: Bash", "hooks", "needs you"],
    ["cc", "working", "client", "-"],
  ]);
  rig.now += 1_000;
  const line = {
    type: "user",
    message: { content: "[Request interrupted by user]" },
    timestamp: new Date(rig.now).toISOString(),
  };
  // Half of it is not there yet.
  const [half, rest] = [JSON.stringify(line).slice(0, 40), JSON.stringify(line).slice(40)];
  appendFileSync(transcript, `{"type":"user","message":{"content":"${"x".repeat(2_000_000)}"}}\n${half}`);
  expect(brief(await view())[1]?.[1]).toBe("working");
  appendFileSync(transcript, `${rest}\n`);
  said("idle");
  expect(brief(await view())).toContainEqual(["cc", "waiting: interrupted", "transcript", "needs you"]);
});

test("B12 one call for each end of a turn and each question, and none for what was before, a start, an interrupt or a turn that goes on", async () => {
  using rig = new PresenceRig();
  const { view } = boardOf(rig);
  let attention = noAttention;
  let nowMs = 0;
  /** Who is called for when the board looks, and again after it has settled. */
  const calls = async (): Promise<readonly (readonly string[])[]> => {
    const all: string[][] = [];
    for (const ms of [0, settleMs, settleMs]) {
      nowMs += ms;
      const step = nextAttention(attention, await view(), nowMs);
      attention = step.attention;
      all.push(step.due.map(({ row }) => row.session));
    }
    return all;
  };
  const [old, fresh, busy] = [rig.session("old"), rig.session("fresh"), rig.session("busy")];
  await old.fire(prompt);
  await old.fire(over(0));
  expect(await calls()).toEqual([[], [], []]);
  await fresh.fire(started);
  await busy.fire(prompt);
  expect(await calls()).toEqual([[], [], []]);
  await busy.fire(asks);
  expect(await calls()).toEqual([[], ["busy"], []]);
  await busy.fire({ kind: "shell-ended", call: null, failed: false });
  await busy.fire(over(1));
  expect(await calls()).toEqual([[], [], []]);
  await busy.fire({ kind: "prompt", text: "<task-notification>", byPerson: false });
  await busy.fire(over(0));
  await busy.fire({ kind: "waiting", reason: "idle" });
  expect(await calls()).toEqual([[], ["busy"], []]);
  // Somebody's hook objects to the end of the turn at once.
  await busy.fire(prompt);
  await busy.fire(over(0));
  const step = nextAttention(attention, await view(), nowMs);
  attention = step.attention;
  await busy.fire({ kind: "seen" });
  expect([step.due, await calls()]).toEqual([[], [[], [], []]]);
  await busy.fire({ kind: "interrupted" });
  expect(await calls()).toEqual([[], [], []]);
});

test("P10 the state directory in the way of a file, gone, and back as old as it was: told while it lasts, and all sessions are there again", async () => {
  using rig = new PresenceRig();
  const { view } = boardOf(rig);
  await rig.session("a").fire(prompt);
  const first = await view();
  renameSync(rig.state, `${rig.state}.away`);
  writeFileSync(rig.state, "");
  const blocked = await view();
  rmSync(rig.state);
  const gone = await view();
  renameSync(`${rig.state}.away`, rig.state);
  const back = await view();
  expect(
    [first, blocked, gone, back].map((seen) => [brief(seen).map(([session]) => session), seen.problems.length > 0]),
  ).toEqual([
    [["a"], false],
    [["a"], true],
    [[], false],
    [["a"], false],
  ]);
});

test("a repository's records moved away and back while only it is followed", async () => {
  using rig = new PresenceRig();
  await rig.session("a").fire(prompt);
  const [only] = unwrap(await rig.registry.repositories(), "list");
  const readers = new Map(EVIDENCE_READERS.map((reader) => [reader.client, reader]));
  const tracker = new BoardTracker({ registry: rig.registry, processes: rig.processes, readers, only: only ?? null });
  const seen: number[] = [];
  const count = async () => seen.push(brief(await tracker.look(rig.now)).length);
  await count();
  const records = `${rig.state}/presence`;
  renameSync(records, `${records}.away`);
  await count();
  renameSync(`${records}.away`, records);
  await count();
  expect(seen).toEqual([1, 0, 1]);
});
