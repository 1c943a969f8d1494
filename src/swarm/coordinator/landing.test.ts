// How results land, at the level of one question to the coordinator over a log in memory.

import { describe, expect, it } from "vitest";
import { asConflictId, asPosition } from "../../base/ids.ts";
import { unwrap } from "../../base/result.ts";
import { memoryStore } from "../../testing/log/memory-log.ts";
import { doneReport, openSwarmRig, type SwarmRig, statusOf, workOf } from "../../testing/swarm/rig.ts";
import { listed, tree } from "../../testing/vcs/vcs-rig.ts";
import { mergeText } from "../../vcs/merge/merge.ts";

const files = { "a.txt": "1\n2\n3\n4\n5\n", "b.txt": "b\n" };
const start = asPosition(1);

/** The goal, its planner waiting, and work tasks t1 and t2. */
async function rig(...given: Parameters<typeof openSwarmRig>): Promise<SwarmRig> {
  const opened = await openSwarmRig(...given);
  await opened.add("t0", "plan");
  await opened.add("t1", "work", { parent: "t0" });
  await opened.add("t2", "work", { parent: "t0" });
  return opened;
}

const types = async (swarm: SwarmRig, from: number) => (await swarm.records(from)).map(({ type }) => type);

/** t1 lands its line; t2's lease whose own line is then in conflict. */
async function withConflict(swarm: SwarmRig) {
  const [first, second] = [await swarm.lease("t1"), await swarm.lease("t2")];
  await swarm.ask({
    kind: "handoff",
    lease: first,
    handoff: doneReport,
    work: workOf(start, { "a.txt": "1\n2\nours\n4\n5\n" }),
    workspace: null,
  });
  const work = workOf(start, { "a.txt": "1\n2\ntheirs\n4\n5\n" });
  return { second, work };
}

describe("leases", () => {
  it("S11 refuses a commit and a handoff under a lease that has ended, also when the task is leased again", async () => {
    const swarm = await rig(files);
    const dead = await swarm.lease("t1");
    await swarm.end(dead);
    const alive = await swarm.lease("t1");
    const before = swarm.log.end;
    const work = workOf(start, { "a.txt": "late\n" });
    const reason = "the lease 1 of a1 on t1 has ended; its late results are refused";
    const answers = [
      await swarm.ask({ kind: "commit", lease: dead, work }),
      await swarm.ask({ kind: "handoff", lease: dead, handoff: doneReport, work, workspace: null }),
      await swarm.ask({ kind: "commit", lease: { ...alive, fence: dead.fence }, work }),
    ];
    expect(answers.map((answer) => ("reason" in answer ? answer.reason : answer))).toEqual([
      reason,
      reason,
      "the lease 1 of a2 on t1 has ended; its late results are refused",
    ]);
    expect(swarm.log.end).toBe(before);
  });

  it("S11 refuses a commit whose lease ends while it is being merged", async () => {
    const merging = Promise.withResolvers<void>();
    const swarm = await rig(files, {
      async merge(...texts) {
        await merging.promise;
        return mergeText(...texts);
      },
    });
    const [first, second] = [await swarm.lease("t1"), await swarm.lease("t2")];
    await swarm.ask({ kind: "commit", lease: first, work: workOf(start, { "a.txt": "one\n2\n3\n4\n5\n" }) });
    const late = swarm.ask({ kind: "commit", lease: second, work: workOf(start, { "a.txt": "1\n2\n3\n4\nfive\n" }) });
    await swarm.end(second);
    const before = swarm.log.end;
    merging.resolve();
    expect(await late).toMatchObject({
      kind: "refused",
      reason: "the lease 2 of a2 on t2 has ended; its late results are refused",
    });
    expect([swarm.log.end, await tree({ ...swarm, ledger: swarm.context.ledger })]).toEqual([
      before,
      { ...files, "a.txt": "one\n2\n3\n4\n5\n" },
    ]);
  });

  it("takes a late failure as told and records nothing", async () => {
    const swarm = await rig(files);
    const dead = await swarm.lease("t1");
    await swarm.end(dead);
    const before = swarm.log.end;
    expect(await swarm.ask({ kind: "fail", lease: dead, reason: "late", workspace: null })).toEqual({});
    expect([swarm.log.end, statusOf(swarm.state, "t1")]).toEqual([before, "planned"]);
  });
});

describe("handoff", () => {
  it("lands the commit and the task's end in one batch", async () => {
    const swarm = await rig(files);
    const lease = await swarm.lease("t1");
    const before = swarm.log.end;
    const work = workOf(start, { "b.txt": "new\n" });
    expect(await swarm.ask({ kind: "handoff", lease, handoff: doneReport, work, workspace: null })).toEqual({
      kind: "accepted",
      note: "landed",
    });
    expect([await types(swarm, before), statusOf(swarm.state, "t1")]).toEqual([["commit", "task_done"], "done"]);
  });

  it("with a conflict makes the task conflicted and adds its arbiter in one batch; the arbiter closes both", async () => {
    const swarm = await rig(files);
    const { second, work } = await withConflict(swarm);
    const before = swarm.log.end;
    await swarm.ask({ kind: "handoff", lease: second, handoff: doneReport, work, workspace: null });
    expect([await types(swarm, before), statusOf(swarm.state, "t2"), statusOf(swarm.state, "t3")]).toEqual([
      ["conflict", "task_added", "task_conflicted"],
      "conflicted",
      "planned",
    ]);
    const arbiter = await swarm.lease("t3");
    const answer = workOf(swarm.vcs.head(), { "a.txt": "1\n2\nours\ntheirs\n4\n5\n" });
    const closing = swarm.log.end;
    expect(await swarm.ask({ kind: "resolve", lease: arbiter, work: answer, discarded: [] })).toMatchObject({
      kind: "resolved",
    });
    expect([await types(swarm, closing), statusOf(swarm.state, "t2"), statusOf(swarm.state, "t3")]).toEqual([
      ["commit", "task_done", "task_done"],
      "done",
      "done",
    ]);
  });

  it("S30 a commit that joins the conflict adds no second arbiter, one that does not touch it lands", async () => {
    const swarm = await rig(files);
    const { second, work } = await withConflict(swarm);
    await swarm.ask({ kind: "commit", lease: second, work });
    const before = swarm.log.end;
    const joins = workOf(asPosition(before), { "a.txt": "1\n2\ntheirs, longer\n4\n5\n" });
    const answers = [
      await swarm.ask({ kind: "commit", lease: second, work: joins }),
      await swarm.ask({ kind: "commit", lease: second, work: workOf(asPosition(before), { "b.txt": "other\n" }) }),
    ];
    expect(answers).toMatchObject([{ kind: "conflict", conflict: "c1", joined: true }, { kind: "landed" }]);
    expect(await types(swarm, before)).toEqual(["conflict_joined", "commit"]);
    expect([...swarm.state.tasks.values()].filter(({ kind }) => kind === "resolve").map(({ id }) => id)).toEqual([
      "t3",
    ]);
  });

  it("whose last commit lands leaves the task conflicted while a conflict of it is open", async () => {
    const swarm = await rig(files);
    const { second, work } = await withConflict(swarm);
    await swarm.ask({ kind: "commit", lease: second, work });
    await swarm.ask({ kind: "handoff", lease: second, handoff: doneReport, work: null, workspace: null });
    expect(swarm.state.tasks.get(second.task)?.status).toEqual({ kind: "conflicted", conflict: "c1" });
  });

  it("with two conflicts is done with the last of them, in whatever order they are resolved", async () => {
    for (const order of [
      ["t3", "t4"],
      ["t4", "t3"],
    ] as const) {
      const swarm = await rig(files);
      const [first, second] = [await swarm.lease("t1"), await swarm.lease("t2")];
      await swarm.ask({ kind: "commit", lease: first, work: workOf(start, { "a.txt": "ours\n", "b.txt": "ours\n" }) });
      await swarm.ask({ kind: "commit", lease: second, work: workOf(start, { "a.txt": "theirs\n" }) });
      await swarm.ask({ kind: "commit", lease: second, work: workOf(start, { "b.txt": "theirs\n" }) });
      await swarm.ask({ kind: "handoff", lease: second, handoff: doneReport, work: null, workspace: null });
      const seen: string[] = [];
      for (const arbiter of order) {
        const lease = await swarm.lease(arbiter);
        const path = arbiter === "t3" ? "a.txt" : "b.txt";
        const answer = workOf(swarm.vcs.head(), { [path]: "ours\ntheirs\n" });
        await swarm.ask({ kind: "resolve", lease, work: answer, discarded: [] });
        seen.push(statusOf(swarm.state, "t2"));
      }
      expect([seen, await tree({ ...swarm, ledger: swarm.context.ledger })]).toEqual([
        ["conflicted", "done"],
        { "a.txt": "ours\ntheirs\n", "b.txt": "ours\ntheirs\n" },
      ]);
    }
  });

  it("S15 of a planner without a done task is refused, and with open tasks too", async () => {
    const swarm = await rig(files);
    const planner = await swarm.lease("t0");
    const handoff = (status: "done" | "failed") =>
      swarm.ask({ kind: "handoff", lease: planner, handoff: { ...doneReport, status }, work: null, workspace: null });
    const open = "t1, t2 are still at work: end your turn without a call and you are woken with their results";
    expect([await handoff("done"), await handoff("failed")]).toMatchObject([{ reason: open }, { reason: open }]);
    for (const task of ["t1", "t2"]) {
      const lease = await swarm.lease(task);
      await swarm.ask({ kind: "fail", lease, reason: "no way", workspace: null });
    }
    expect(await handoff("done")).toMatchObject({
      reason:
        'no task of yours is done, so there is no evidence for "done": delegate, or hand off with status "failed" and the reason',
    });
    expect([await handoff("failed"), statusOf(swarm.state, "t0")]).toMatchObject([{ kind: "accepted" }, "failed"]);
  });
});

describe("an arbiter that gives up", () => {
  it("fails the conflicted task with the reason and keeps the object with both sides", async () => {
    const swarm = await rig(files);
    const { second, work } = await withConflict(swarm);
    await swarm.ask({ kind: "handoff", lease: second, handoff: doneReport, work, workspace: null });
    const arbiter = await swarm.lease("t3");
    await swarm.ask({ kind: "fail", lease: arbiter, reason: "5 answers were refused", workspace: null });
    expect([swarm.state.tasks.get(second.task)?.status, swarm.vcs.conflict(asConflictId("c1"))?.state]).toEqual([
      {
        kind: "failed",
        reason: "c1 was not resolved and is kept with both sides: 5 answers were refused",
        workspace: null,
      },
      "open",
    ]);
  });
});

describe("scope", () => {
  it("refuses a change outside without a reason, and keeps the reason in the commit", async () => {
    const swarm = await openSwarmRig(files);
    await swarm.add("t0", "plan");
    await swarm.add("t1", "work", { parent: "t0", scope: ["a.txt"] });
    const lease = await swarm.lease("t1");
    const changed = { "b.txt": "reached\n" };
    expect(await swarm.ask({ kind: "commit", lease, work: workOf(start, changed) })).toMatchObject({
      kind: "refused",
      reason:
        "outside this task's scope (a.txt): b.txt. Undo these changes, or say in outside_scope_reason why they are needed",
    });
    const work = workOf(start, changed, { outsideScopeReason: "the name is used there" });
    expect(await swarm.ask({ kind: "commit", lease, work })).toMatchObject({ kind: "landed" });
    expect((await listed(swarm.vcs.history())).map(({ message }) => message)).toEqual([
      "work\n\nOutside its scope: the name is used there",
    ]);
  });
});

describe("what is too large for the log", () => {
  it("S25 is refused with the reason, and the next commit lands", async () => {
    const batchBytesMax = 100_000;
    const log = unwrap(memoryStore().open({ batchBytesMax, recordBytesMax: batchBytesMax }), "log");
    const swarm = await rig(files, { log });
    const lease = await swarm.lease("t1");
    const refused = await swarm.ask({
      kind: "commit",
      lease,
      work: workOf(start, { "large.txt": "x".repeat(2 * batchBytesMax) }),
    });
    expect(refused).toEqual({
      kind: "refused",
      reason: expect.stringMatching(/^too much at once: a batch of 2\d{5} bytes is over the limit of 100000$/),
    });
    expect(await swarm.ask({ kind: "commit", lease, work: workOf(start, { "b.txt": "small\n" }) })).toMatchObject({
      kind: "landed",
    });
  });
});

describe("the end of an agent", () => {
  it("notes the transcript of an agent that has ended", async () => {
    const swarm = await rig(files);
    const lease = await swarm.lease("t1");
    swarm.session.agents.add(lease.agent);
    const transcript = { path: `/${"long/".repeat(500)}a1.jsonl`, bytes: 7, sha256: "ab" };
    await swarm.ask({ kind: "agent_ended", lease, outcome: "ended", requests: 1, transcript });
    expect([swarm.session.agents.size, swarm.state.agents.get(lease.agent)?.transcript]).toEqual([0, transcript]);
  });
});
