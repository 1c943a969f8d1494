// One agent is one row: ids that change in one process, agents inside agents, subagents, servers of many sessions.

import { expect, test } from "vitest";
import { FakeProcessTable } from "../../testing/sessions/fake-process-table.ts";
import { PresenceRig } from "../../testing/sessions/presence-rig.ts";
import { findAgentProcess } from "./agent-process.ts";
import type { Row } from "./rows.ts";

const brief = (rows: readonly Row[]) =>
  rows.map(({ session, state, liveness }) => [session, state.kind, liveness.kind]);

test.each([
  ["a shell and our launcher stand between", ["claude", "sh", "skein-hook"], null, "claude"],
  [
    "the client named itself, and a wrapper of its own stands between",
    ["claude", "npm exec", "sh"],
    "claude",
    "claude",
  ],
  ["nothing stands between", ["codex"], null, "codex"],
  [
    "P12: an inner agent inherits the outer one's number and stands nearer",
    ["claude", "bash", "claude", "sh"],
    "outer",
    "inner",
  ],
  ["P12: another client inside one that names itself", ["claude", "bash", "codex", "sh"], null, "codex"],
])("P7: the agent's process is recorded: %s", async (_, names, hint, wanted) => {
  const table = new FakeProcessTable();
  table.start(1, { parent: 0, name: "systemd" });
  const chain = names.map((name, index) => table.start(10 + index, { parent: index === 0 ? 1 : 9 + index, name }));
  const outer = chain[0];
  const inner = chain.findLast(({ name }) => name === outer?.name);
  const expected =
    wanted === "outer" ? outer : wanted === "inner" ? inner : chain.findLast(({ name }) => name === wanted);
  const hinted = hint === null ? null : (outer?.pid ?? null);
  const found = await findAgentProcess(table, { parent: chain.at(-1)?.pid ?? 0, hint: hinted });
  expect(found).toEqual({
    pid: expected?.pid,
    start: { kind: "ticks", ticks: expected?.ticks },
    terminal: null,
  });
});

test("P7: a hook that outlives its agent names nobody else, where the agent's own program told its number", async () => {
  const table = new FakeProcessTable();
  // A container's first process, which the hook is left to.
  table.start(1, { parent: 0, name: "supervisor" });
  const sh = table.start(11, { parent: 1, name: "sh" });
  const gone = { parent: sh.pid, hint: 10, exact: true };
  expect(await findAgentProcess(table, gone)).toBe(null);
  const agent = table.start(10, { parent: 1, name: "opencode" });
  expect(await findAgentProcess(table, gone)).toEqual({
    pid: agent.pid,
    start: { kind: "ticks", ticks: agent.ticks },
    terminal: null,
  });
});

test("P7: an agent that is killed while its hook runs is dead, whoever the hook is left to", async () => {
  using rig = new PresenceRig();
  // As a container's first process, which may be an agent itself.
  rig.processes.start(1, { parent: 0, name: "supervisor" });
  const session = rig.session("killed");
  await session.fire({ kind: "prompt", text: "Go on", byPerson: true });
  rig.processes.end(session.pid);
  const orphan = rig.session("killed", { pid: 1 });
  await orphan.fire({ kind: "prompt", text: "And on", byPerson: true });
  expect(brief(await rig.rows())).toEqual([["killed", "working", "dead"]]);
  await orphan.fire({ kind: "session-started", source: "resume" });
  await orphan.fire({ kind: "prompt", text: "As the container's first process", byPerson: true });
  expect(brief(await rig.rows())).toEqual([["killed", "working", "live"]]);
});

test("P7: what starts a sandbox is no agent", async () => {
  const table = new FakeProcessTable();
  table.start(1, { parent: 0, name: "bwrap" });
  table.start(11, { parent: 1, name: "sh" });
  expect(await findAgentProcess(table, { parent: 11, hint: null })).toBe(null);
});

test("P8: a turn without a tool call for ten minutes is still at work", async () => {
  using rig = new PresenceRig();
  await rig.session("long").fire({ kind: "prompt", text: "Think it through carefully", byPerson: true });
  rig.now += 600_000;
  expect(brief(await rig.rows())).toEqual([["long", "working", "live"]]);
});

test("P11: /clear, compaction and resume give a new id on the same process, and one row", async () => {
  using rig = new PresenceRig();
  const first = rig.session("one");
  await first.fire({ kind: "session-started", source: "startup" });
  await first.fire({ kind: "files-edited", paths: ["a.txt"] });
  await first.fire({ kind: "session-ended", reason: "clear" });
  const second = rig.session("two", { pid: first.pid });
  expect(await second.fire({ kind: "session-started", source: "clear" })).toBe(null);
  await second.fire({ kind: "prompt", text: "go on with the parser", byPerson: true });
  await second.fire({ kind: "session-started", source: "compact" });
  const rows = await rig.rows();
  expect(brief(rows)).toEqual([["two", "working", "live"]]);
  // What was edited before is still there.
  expect(rows.map(({ files, earlier }) => [files.map(({ path }) => path), earlier.length])).toEqual([[["a.txt"], 1]]);
});

test("P12: an agent started by a session has a row of its own, and the outer one's is untouched", async () => {
  using rig = new PresenceRig();
  const outer = rig.session("outer");
  await outer.fire({ kind: "prompt", text: "ask the other agent for help", byPerson: true });
  const before = rig.lines();
  const nested = rig.session("nested", { client: "codex", agentPid: outer.pid });
  const told = await nested.fire({ kind: "session-started", source: "startup" });
  expect(brief(await rig.rows()).toSorted()).toEqual([
    ["nested", "waiting", "live"],
    ["outer", "working", "live"],
  ]);
  expect(told).toContain("claude-code outer: working");
  const [name] = [...before.keys()];
  expect(rig.lines().get(name ?? "")).toEqual(before.get(name ?? ""));
});

test.each([
  ["the start comes after the prompt", ["prompt", "session-started"]],
  ["it never comes", ["prompt"]],
  ["it comes twice", ["session-started", "session-started", "prompt"]],
] as const)("P13: any event registers the session: %s", async (_, kinds) => {
  using rig = new PresenceRig();
  const session = rig.session("odd");
  for (const kind of kinds)
    await session.fire(
      kind === "prompt" ? { kind, text: "do a thing now", byPerson: true } : { kind, source: "startup" },
    );
  expect(brief(await rig.rows())).toEqual([["odd", "working", "live"]]);
});

test("P14: a subagent's edit stands under its parent with a suffix, in a directory of its own", async () => {
  using rig = new PresenceRig();
  const parent = rig.session("parent-session");
  await parent.fire({ kind: "session-started", source: "startup" });
  const before = [...rig.lines()];
  await parent.fire({ kind: "subagent-started", agentType: "general" }, { agent: "child-1" });
  await parent.fire({ kind: "files-edited", paths: ["deep/b.txt"] }, { agent: "child-1" });
  const rows = await rig.rows();
  expect(rows.map((row) => [row.name, row.files, row.subagents.map((one) => [one.name, one.files[0]?.path])])).toEqual([
    ["parent-s", [], [["parent-s+child-1", "deep/b.txt"]]],
  ]);
  expect([...rig.lines()].filter(([name]) => !name.includes("+"))).toEqual(before);
  // A peer's first touch names the subagent.
  const peer = rig.session("peer");
  expect(await peer.fire({ kind: "files-edited", paths: ["deep/b.txt"] })).toContain(
    "claude-code parent-s+child-1 edited deep/b.txt",
  );
});

test("P15: a subagent that never told its end is gone with its parent", async () => {
  using rig = new PresenceRig();
  const parent = rig.session("parent");
  await parent.fire({ kind: "session-started", source: "startup" });
  await parent.fire({ kind: "subagent-started", agentType: null }, { agent: "child" });
  await parent.fire({ kind: "session-ended", reason: "other" });
  rig.processes.end(parent.pid);
  const [row] = await rig.rows();
  expect(row?.subagents.map(({ state, liveness }) => [state.kind, liveness.kind])).toEqual([["ended", "dead"]]);
  expect(await rig.session("later").fire({ kind: "session-started", source: "startup" })).toBe(null);
});

test("P16: sessions of one server process are rows of their own, and a silent one is doubtful", async () => {
  using rig = new PresenceRig();
  const first = rig.session("first", { client: "opencode", sharedProcess: true });
  await first.fire({ kind: "prompt", text: "one thing to do", byPerson: true });
  rig.now += 3_600_000;
  const second = rig.session("second", { client: "opencode", sharedProcess: true, pid: first.pid });
  await second.fire({ kind: "prompt", text: "another thing to do", byPerson: true });
  expect(brief(await rig.rows()).toSorted()).toEqual([
    ["first", "working", "unknown"],
    ["second", "working", "live"],
  ]);
});

test("P37: a swarm is one row with its workers behind it, and three terminals stay visible beside it", async () => {
  using rig = new PresenceRig();
  const swarm = rig.session("20261130-120000-abcd", { client: "skein-swarm" });
  await swarm.fire({ kind: "session-started", source: "startup" });
  const [own] = await rig.rows();
  const { recordCrew } = await import("./record-own.ts");
  if (own !== undefined) await recordCrew(rig.registry, own.key, { count: 500, now: rig.now });
  for (const id of ["t1", "t2", "t3"])
    await rig.session(id).fire({ kind: "prompt", text: "work on something", byPerson: true });
  const block = await rig.session("fourth").fire({ kind: "session-started", source: "startup" });
  expect(block?.match(/^- \S+ \S+:/gm)?.toSorted()).toEqual([
    "- claude-code t1:",
    "- claude-code t2:",
    "- claude-code t3:",
    "- skein-swarm 20261130:",
  ]);
  expect(block).toContain("a swarm with 500 workers at work");
});

test("P1, P7: a session that ran in two processes is dead or ended only when both are", async () => {
  using rig = new PresenceRig();
  const first = rig.session("twice");
  const resume = { kind: "session-started", source: "resume" } as const;
  await first.fire({ kind: "prompt", text: "work on the parser", byPerson: true });
  const killed = rig.session("twice");
  await killed.fire(resume);
  await killed.fire({ kind: "turn-ended", background: 0 });
  rig.processes.end(killed.pid);
  const seen = [await rig.rows()];
  // The first goes on, and so the record is its again.
  await first.fire({ kind: "seen" });
  seen.push(await rig.rows());
  const ended = rig.session("twice");
  await ended.fire(resume);
  await ended.fire({ kind: "session-ended", reason: "prompt_input_exit" });
  rig.processes.end(ended.pid);
  seen.push(await rig.rows());
  rig.processes.end(first.pid);
  seen.push(await rig.rows());
  expect(seen.map(brief)).toEqual([
    [["twice", "working", "unknown"]],
    [["twice", "working", "live"]],
    [["twice", "working", "unknown"]],
    [["twice", "ended", "dead"]],
  ]);
});

test("P11: a process that told the end of its session and lives on with another does not keep the first", async () => {
  using rig = new PresenceRig();
  const first = rig.session("one");
  await first.fire({ kind: "session-started", source: "startup" });
  await first.fire({ kind: "session-ended", reason: "resume" });
  await rig.session("two", { pid: first.pid }).fire({ kind: "session-started", source: "resume" });
  const later = rig.session("one");
  await later.fire({ kind: "session-started", source: "resume" });
  rig.processes.end(later.pid);
  expect(brief(await rig.rows()).toSorted()).toEqual([
    ["one", "waiting", "dead"],
    ["two", "waiting", "live"],
  ]);
});
