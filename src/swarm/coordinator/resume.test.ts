// Going on after an interruption, at the level of records and single questions.

import { describe, expect, it } from "vitest";
import { asPosition } from "../../base/ids.ts";
import { openLedger } from "../../log/ledger.ts";
import { doneReport, openSwarmRig, type SwarmRig, statusOf, workOf } from "../../testing/swarm/rig.ts";
import { vcsFold } from "../../vcs/fold.ts";
import { swarmFold } from "../state.ts";
import { newLease } from "./lease.ts";
import { leftovers } from "./leftovers.ts";
import { resumeRecords } from "./resume.ts";

const files = { "a.txt": "1\n2\n3\n4\n5\n", "b.txt": "b\n" };
const start = asPosition(1);
const resumed = {
  models: { planner: "p2", worker: "w2", arbiter: "a2" },
  scripted: false,
  workers: 2,
  repository: "/moved",
} as const;

async function rig(): Promise<SwarmRig> {
  const swarm = await openSwarmRig(files);
  await swarm.add("t0", "plan");
  for (const id of ["t1", "t2"]) await swarm.add(id, "work", { parent: "t0" });
  return swarm;
}

async function resume(swarm: SwarmRig): Promise<void> {
  const records = resumeRecords(swarm.state, 9, resumed, "/w");
  await swarm.context.append(records);
}

describe("a run that is resumed", () => {
  it("S12 ends the leases nobody holds, counts them as nobody's fault, names the workspaces, and is at work again", async () => {
    const swarm = await rig();
    const [planner, worker] = [await swarm.lease("t0"), await swarm.lease("t1")];
    await swarm.put("run_ended", { state: "stopped", reason: "enough" });
    const before = swarm.log.end;
    await resume(swarm);
    const written = (await swarm.records(before)).map(({ type, data }) => ({ type, data }));
    const ended = { reason: "the run was interrupted", lost: false, blame: "host", fresh: false };
    expect(written).toEqual([
      { type: "lease_ended", data: { ...planner, ...ended, workspace: null } },
      { type: "lease_ended", data: { ...worker, ...ended, workspace: "/w/a2" } },
      { type: "run_resumed", data: resumed },
    ]);
    const { end, tasks } = swarm.state;
    expect({ end, statuses: ["t0", "t1", "t2"].map((id) => statusOf(swarm.state, id)) }).toEqual({
      end: null,
      statuses: ["planned", "planned", "planned"],
    });
    expect([...tasks.values()].map(({ attemptsLost }) => attemptsLost)).toEqual([0, 0, 0]);
  });

  it("S12 is the same run in a coordinator that replays the log", async () => {
    const swarm = await rig();
    const lease = await swarm.lease("t1");
    await swarm.put("request_begun", { ...lease, turn: 1, reserved_usd: 2, failed: null });
    await resume(swarm);
    const again = await openLedger(swarm.log, [vcsFold, swarmFold]);
    expect(again.state(swarmFold)).toEqual(swarm.state);
    expect(swarm.state.spentUsd).toBe(2);
  });

  it("gives a task to the agent that had it, with the snapshot and the results it was given", async () => {
    const swarm = await rig();
    const planner = await swarm.lease("t0");
    await swarm.put("task_suspended", planner);
    for (const id of ["t1", "t2"]) {
      const lease = await swarm.lease(id);
      await swarm.ask({ kind: "handoff", lease, handoff: doneReport, work: null, workspace: null });
    }
    const task = [...swarm.state.tasks.values()][0];
    if (task === undefined) throw new Error("the goal's task is there");
    const woken = newLease(swarm.context, task, "h1" as never);
    await swarm.context.append([woken.record]);
    await swarm.add("t3", "work", { parent: "t0" });
    await resume(swarm);
    const again = newLease(swarm.context, task, "h2" as never);
    expect({ ...again.job, lease: null }).toEqual({ ...woken.job, lease: null, resume: "interrupted" });
    expect([woken.job.resume, woken.job.wakes, again.job.lease]).toEqual([
      "woken",
      true,
      { task: "t0", agent: "a1", fence: woken.job.lease.fence + 1 },
    ]);
  });

  it("begins a task anew, with another agent, where the conversation cannot be gone on with", async () => {
    const swarm = await rig();
    const planner = await swarm.lease("t0");
    const answer = await swarm.ask({ kind: "abandon", lease: planner, reason: "its end is missing", workspace: null });
    const task = [...swarm.state.tasks.values()][0];
    if (task === undefined) throw new Error("the goal's task is there");
    const { job } = newLease(swarm.context, task, "h1" as never);
    expect([answer, job.lease.agent, job.resume, task.attemptsLost]).toEqual([{}, "a2", "new", 0]);
    expect(job.prompt).toContain("do not delegate them again:\n- t1 (t1)");
  });
});

describe("resume_info", () => {
  it("has what the agent itself wrote, also where a merge landed something else, and what is kept in its conflicts", async () => {
    const swarm = await rig();
    const [other, own] = [await swarm.lease("t1"), await swarm.lease("t2")];
    await swarm.ask({ kind: "commit", lease: other, work: workOf(start, { "a.txt": "one\n2\n3\n4\n5\n" }) });
    const merged = workOf(start, { "a.txt": "1\n2\n3\n4\nfive\n" });
    const landed = await swarm.ask({ kind: "commit", lease: own, work: merged });
    expect(landed).toMatchObject({ kind: "landed", merged: ["a.txt"] });
    const held = workOf(start, { "a.txt": "uno\n2\n3\n4\n5\n" });
    const kept = await swarm.ask({ kind: "commit", lease: own, work: held });
    const info = (since: number) => swarm.ask({ kind: "resume_info", lease: own, since: asPosition(since) });
    const commits = [
      { position: "position" in landed ? landed.position : 0, changes: merged.changes, held: false },
      { position: "position" in kept ? kept.position : 0, changes: held.changes, held: true },
    ];
    expect(await info(1)).toEqual({ commits });
    // What is kept is told whatever the workspace's position.
    expect(await info(swarm.vcs.head())).toEqual({ commits: commits.slice(1) });
    expect(await swarm.ask({ kind: "resume_info", lease: await swarm.lease("t0"), since: start })).toEqual({
      commits: [],
    });
  });
});

describe("leftovers", () => {
  it("are the trees of who is through and of who only reads; work that may be nowhere else is kept", async () => {
    const swarm = await rig();
    const planner = await swarm.lease("t0");
    const done = await swarm.lease("t1");
    await swarm.ask({ kind: "handoff", lease: done, handoff: doneReport, work: null, workspace: null });
    const abandoned = await swarm.lease("t2");
    await swarm.ask({ kind: "abandon", lease: abandoned, reason: "not whole", workspace: "/w/a3" });
    const successor = await swarm.lease("t2");
    await swarm.ask({ kind: "handoff", lease: successor, handoff: doneReport, work: null, workspace: null });
    const failed = ["a9", "notes", "a1-x", ""];
    const names = ["a2", "a3", "a4", ...failed];
    expect([planner.agent, leftovers(swarm.state, names)]).toEqual(["a1", ["a2", "a4"]]);
  });

  it("S6 never are what is leased, failed or waits to be gone on with", async () => {
    const swarm = await rig();
    const [failed, lost] = [await swarm.lease("t1"), await swarm.lease("t2")];
    await swarm.ask({ kind: "fail", lease: failed, reason: "no", workspace: "/w/a1/tree" });
    expect(leftovers(swarm.state, ["a1", "a2"])).toEqual([]);
    await swarm.end(lost);
    expect(leftovers(swarm.state, ["a1", "a2"])).toEqual([]);
  });
});
