// The coordinator between hosts that the test speaks for: races of leases with lost hosts and flushes, and every way a run must end.

import { describe, expect, it } from "vitest";
import { asConflictId, asPosition, asTaskId } from "../../base/ids.ts";
import { object, parse, text } from "../../base/parse.ts";
import { unwrap } from "../../base/result.ts";
import { openLedger } from "../../log/ledger.ts";
import { answers, protocolVersion } from "../../protocol/messages.ts";
import { openPeer, type Peer } from "../../protocol/peer.ts";
import { doneReport, openSwarmRig, statusOf, workOf } from "../../testing/swarm/rig.ts";
import { goal, join, settle, startTalk, waitingPlanner } from "../../testing/swarm/talk.ts";
import { vcsFold } from "../../vcs/fold.ts";
import { getTask, swarmFold } from "../state.ts";
import { startCoordinator } from "./coordinator.ts";
import { resumeRecords } from "./resume.ts";

describe("leases", () => {
  it("start from a snapshot that has what the task comes after, also while that is not yet durable", async () => {
    const talk = await startTalk(async (rig) => {
      await rig.add("t1", "work", { parent: goal });
      await rig.add("t2", "work", { parent: goal, after: ["t1"] });
      await rig.put("task_suspended", await rig.lease(goal));
    });
    const { rig, sim } = talk;
    const host = await join(talk, "h1");
    const { lease, snapshot } = await host.job("t1");
    rig.log.hold();
    const work = workOf(snapshot, { "a.txt": "2\n" });
    const handed = host.peer.ask(
      { kind: "handoff", lease, handoff: doneReport, work, workspace: null },
      answers.handoff,
    );
    await settle(talk);
    // Somebody else's question is answered and lets the coordinator decide while the flush is under way.
    await sim.run(host.peer.ask({ kind: "tree", at: asPosition(1) }, answers.tree));
    expect([statusOf(rig.state, "t2"), host.notices.length]).toEqual(["leased", 1]);
    rig.log.release();
    unwrap(await sim.run(handed), "handoff");
    const next = await host.job("t2");
    const manifest = unwrap(await sim.run(host.peer.ask({ kind: "tree", at: next.snapshot }, answers.tree)), "tree");
    const path = manifest.entries.find((entry) => entry.path === "a.txt");
    expect(path?.blob).toBe(work.blobs[0]?.id);
  });

  it("S11 whose host is lost while they are being written end, and go to another host under a higher fence", async () => {
    const talk = await startTalk((rig) => waitingPlanner(rig, "t1", "t2"));
    const { rig, sim } = talk;
    rig.log.hold();
    const first = await join(talk, "h1");
    await settle(talk);
    expect([statusOf(rig.state, "t1"), first.notices]).toEqual(["leased", []]);
    first.peer.close();
    await settle(talk);
    expect(statusOf(rig.state, "t1")).toBe("planned");
    rig.log.release();
    const second = await join(talk, "h2");
    const jobs = [await second.job("t1"), await second.job("t2")];
    expect(jobs.map(({ lease }) => lease)).toEqual([
      { task: "t1", agent: "a2", fence: 4 },
      { task: "t2", agent: "a3", fence: 5 },
    ]);
    const ended = (await rig.records()).filter(({ type }) => type === "lease_ended").map(({ data }) => data);
    expect(ended).toMatchObject([
      { task: "t1", fence: 2, workspace: "/w/a2" },
      { task: "t2", fence: 3, workspace: "/w/a3" },
    ]);
    await sim.run(talk.coordinator.close());
  });

  it("S11 an arbiter that is lost too often fails, and so does the task whose conflict it leaves open", async () => {
    const talk = await startTalk(
      async (rig) => {
        await waitingPlanner(rig, "t1", "t2");
        for (const [task, text] of [
          ["t1", "ours\n"],
          ["t2", "theirs\n"],
        ] as const) {
          const work = workOf(asPosition(1), { "a.txt": text });
          await rig.ask({ kind: "handoff", lease: await rig.lease(task), handoff: doneReport, work, workspace: null });
        }
      },
      { options: { attemptsMax: 1 } },
    );
    const host = await join(talk, "h1");
    await host.job("t3");
    host.peer.close();
    await settle(talk);
    const reason = "1 attempts ended without a result; the last: its host is gone";
    expect(["t2", "t3"].map((task) => talk.rig.state.tasks.get(asTaskId(task))?.status)).toEqual([
      { kind: "failed", reason: `c1 was not resolved and is kept with both sides: ${reason}`, workspace: null },
      { kind: "failed", reason, workspace: null },
    ]);
  });
});

it("decides on until there is nothing to decide: a drop leads to the planner's waking without another word of a host", async () => {
  const talk = await startTalk(async (rig) => {
    await rig.add("t1", "work", { parent: goal });
    await rig.add("t2", "work", { parent: goal, after: ["t1"] });
    await rig.put("task_suspended", await rig.lease(goal));
  });
  const host = await join(talk, "h1");
  const { lease } = await host.job("t1");
  const failed = { kind: "fail", lease, reason: "no way", workspace: null };
  unwrap(await talk.sim.run(host.peer.ask(failed, answers.fail)), "fail");
  const woken = await host.job(goal);
  expect([woken.resume, woken.wakes, statusOf(talk.rig.state, "t2")]).toEqual(["woken", true, "dropped"]);
});

describe("hosts", () => {
  it("are known by one name each, on one connection, and speak one protocol", async () => {
    const talk = await startTalk((rig) => waitingPlanner(rig));
    const { sim } = talk;
    const host = await join(talk, "h1");
    const hello = (peer: Peer, protocol: number, name: string) =>
      sim.run(peer.ask({ kind: "hello", protocol, host: name, workspaces: "/w" }, answers.hello));
    const other = openPeer(unwrap(await sim.run(sim.net.connect("/s")), "connect"), {
      onAsk: async () => null,
      onNotice: () => undefined,
      onClose: () => undefined,
    });
    expect([
      await hello(host.peer, protocolVersion, "h2"),
      await hello(other, protocolVersion, "h1"),
      await hello(other, 99, "h3"),
    ]).toMatchObject([
      { value: { kind: "refused", reason: "this connection is h1 already" } },
      { value: { kind: "refused", reason: "a host named h1 is already connected" } },
      { value: { kind: "refused", reason: expect.stringContaining("speaks protocol") } },
    ]);
  });

  it("that fall silent are closed and told of, and their leases end", async () => {
    const talk = await startTalk((rig) => waitingPlanner(rig, "t1"), {
      options: { beatMs: 10, hostSilenceMsMax: 100 },
    });
    const host = await join(talk, "h1");
    const lost: string[] = [];
    talk.coordinator.onHostLost((id) => lost.push(id));
    await host.job("t1");
    await talk.sim.run(talk.sim.clock.sleep(200));
    expect([statusOf(talk.rig.state, "t1"), lost, await host.peer.ask({}, answers.fail)]).toMatchObject([
      "planned",
      ["h1"],
      { ok: false, error: { code: "closed" } },
    ]);
  });
});

it("S12 goes on with a run whose coordinator died: the same agents, and nobody twice", async () => {
  const talk = await startTalk((rig) => waitingPlanner(rig, "t1"));
  const { sim, rig } = talk;
  const first = await join(talk, "h1");
  const { lease } = await first.job("t1");
  await sim.run(talk.coordinator.close());
  const models = { planner: "p", worker: "w", arbiter: "a" };
  const resumed = { models, scripted: false, workers: 1, repository: "/r" };
  await rig.context.append(resumeRecords(rig.state, 0, resumed));
  const { ledger, vcs, guards, options } = rig.context;
  const ports = { ledger, vcs, guards, net: sim.net, clock: sim.clock };
  const again = {
    ...talk,
    coordinator: unwrap(await startCoordinator(ports, { ...options, socketPath: "/s" }), "again"),
  };
  const second = await join(again, "h2");
  const job = await second.job("t1");
  expect([job.lease, job.resume]).toEqual([{ ...lease, fence: lease.fence + 1 }, "interrupted"]);
  await settle(again);
  expect(second.notices.length).toBe(1);
});

describe("the end of the run", () => {
  it("comes when the goal's planner has handed off and every transcript is closed", async () => {
    const talk = await startTalk(async (rig) => {
      await rig.add("t1", "work", { parent: goal });
      await rig.ask({
        kind: "handoff",
        lease: await rig.lease("t1"),
        handoff: doneReport,
        work: null,
        workspace: null,
      });
    });
    const { sim, rig, coordinator } = talk;
    const host = await join(talk, "h1");
    const { lease } = await host.job(goal);
    unwrap(
      await sim.run(
        host.peer.ask({ kind: "handoff", lease, handoff: doneReport, work: null, workspace: null }, answers.handoff),
      ),
      "handoff",
    );
    await settle(talk);
    expect(rig.state.end).toBe(null);
    const ended = { kind: "agent_ended", lease, outcome: "ended", requests: 1, transcript: null };
    unwrap(await sim.run(host.peer.ask(ended, answers.agent_ended)), "ended");
    const end = { state: "finished", reason: "the goal's planner handed off" };
    expect([await sim.run(coordinator.done), rig.state.end]).toEqual([end, end]);
    await settle(talk);
    expect(host.notices.at(-1)).toEqual({ kind: "stop", reason: end.reason });
  });

  it("S21 comes with the reason when the store takes nothing more, whoever finds out", async () => {
    for (const finder of ["a lease", "a host's question", "a stop"]) {
      const talk = await startTalk((rig) => waitingPlanner(rig, "t1"));
      const { sim, rig, coordinator } = talk;
      const full = () => rig.log.failNext({ kind: "no-space", message: "no room" });
      if (finder === "a lease") full();
      const host = await join(talk, "h1");
      if (finder !== "a lease") {
        const { lease } = await host.job("t1");
        full();
        if (finder === "a stop") await sim.run(coordinator.stop("enough", "now"));
        else await sim.run(host.peer.ask({ kind: "fail", lease, reason: "no", workspace: null }, answers.fail));
      }
      const end = { state: "stopped", reason: "the disk is full, nothing unacknowledged was kept: no room" };
      expect([finder, await sim.run(coordinator.done)]).toEqual([finder, end]);
      await settle(talk);
      expect(host.notices.at(-1)).toEqual({ kind: "stop", reason: end.reason });
      await sim.run(coordinator.close());
    }
  });

  it("comes with a stop while leases are being written, and once", async () => {
    const talk = await startTalk((rig) => waitingPlanner(rig, "t1", "t2"));
    const { sim, rig, coordinator } = talk;
    rig.log.hold();
    const host = await join(talk, "h1");
    await settle(talk);
    const stopped = [coordinator.stop("enough", "now"), coordinator.stop("again", "now")];
    rig.log.release();
    expect(await sim.run(coordinator.done)).toEqual({ state: "stopped", reason: "enough" });
    await sim.run(Promise.all(stopped));
    await settle(talk);
    const last = (await rig.records()).slice(-5).map(({ type }) => type);
    expect([last, host.notices.map(({ kind }) => kind)]).toEqual([
      ["task_leased", "task_leased", "lease_ended", "lease_ended", "run_ended"],
      ["stop"],
    ]);
  });

  it("is a rejection for a bug: whoever waits sees it, and no host works on", async () => {
    const talk = await startTalk((rig) => waitingPlanner(rig, "t1"));
    const { sim, rig, coordinator } = talk;
    // A task that no conflict belongs to: its arbiter cannot be made.
    await rig.put("task_conflicted", {
      task: (await rig.lease("t1")).task,
      conflict: asConflictId("c9"),
      handoff: null,
    });
    await rig.add("t2", "resolve", { parent: "t1", conflict: asConflictId("c9") });
    const seen = coordinator.done.catch((error: unknown) => String(error));
    const host = await join(talk, "h1");
    expect(await sim.run(seen)).toContain("assertion failed: c9 exists");
    await settle(talk);
    expect(host.notices).toEqual([{ kind: "stop", reason: "internal error of the coordinator" }]);
  });
});

describe("S11 a lost host", () => {
  const lostLease = object({ blame: text(10), workspace: text(100) });
  /** What the loss of a host with these tasks says of them, and what they are then. */
  async function loss(tasks: readonly string[], more: Parameters<typeof startTalk>[1]) {
    const talk = await startTalk((rig) => waitingPlanner(rig, ...tasks), more);
    const host = await join(talk, "h1");
    for (const task of tasks) await host.job(task);
    host.peer.close();
    await settle(talk);
    const ended = (await talk.rig.records()).filter(({ type }) => type === "lease_ended");
    await talk.sim.run(talk.coordinator.close());
    return tasks.map((task, index) => {
      const { attemptsLost, hostsLost, status } = getTask(talk.rig.state, asTaskId(task));
      const { blame, workspace } = unwrap(parse(lostLease, ended[index]?.data, task), task);
      return {
        blame,
        workspace,
        attemptsLost,
        hostsLost,
        status: status.kind === "failed" ? status.reason : status.kind,
      };
    });
  }
  const limits = { options: { attemptsMax: 1, hostLossesMax: 2 } };
  const byTask = { blame: "task", attemptsLost: 1, hostsLost: 0 };
  const byHost = { blame: "host", attemptsLost: 0, hostsLost: 1 };

  it("is an attempt of a task that was alone on it, and of several nobody's", async () => {
    const reason = "1 attempts ended without a result; the last: its host is gone";
    expect([await loss(["t1"], limits), await loss(["t1", "t2"], limits)]).toEqual([
      [{ ...byTask, workspace: "/w/a2", status: reason }],
      [
        { ...byHost, workspace: "/w/a2", status: "planned" },
        { ...byHost, workspace: "/w/a3", status: "planned" },
      ],
    ]);
  });

  it("is no attempt where it was killed from outside; that has a limit of its own", async () => {
    const howEnded = async () => "killed" as const;
    const reason = "it lost its worker host 1 times; the last: its host is gone";
    const one = { options: { attemptsMax: 1, hostLossesMax: 1 } };
    expect([
      await loss(["t1"], { ...limits, howEnded }),
      await loss(["t1"], { ...limits, howEnded: async () => "other" as const }),
      await loss(["t1"], { ...one, howEnded }),
    ]).toMatchObject([[{ ...byHost, status: "planned" }], [byTask], [{ ...byHost, status: reason }]]);
  });
});

it("is told by a signal when it is stopped after its agents' end, and only then", async () => {
  const talk = await startTalk((rig) => waitingPlanner(rig));
  const { sim, coordinator } = talk;
  await sim.run(coordinator.stop("enough", "now"));
  const before = coordinator.stoppedLate.aborted;
  await sim.run(coordinator.stop("really", "graceful"));
  expect([before, coordinator.stoppedLate.aborted, coordinator.stoppedLate.reason]).toEqual([false, true, "really"]);
});

it("an arbiter's refused answers count over its leases, and over a restart of the log", async () => {
  const rig = await openSwarmRig({ "a.txt": "1\n" });
  await rig.add("t0", "plan");
  await rig.add("t1", "work", { parent: "t0" });
  await rig.add("t2", "resolve", { parent: "t1" });
  const first = await rig.lease("t2");
  for (const _ of [1, 2]) await rig.ask({ kind: "answer_refused", lease: first });
  await rig.end(first);
  // Of a lease that has ended it is nobody's answer any more.
  await rig.ask({ kind: "answer_refused", lease: first });
  await rig.ask({ kind: "answer_refused", lease: await rig.leaseAgain(first) });
  const again = await openLedger(rig.log, [vcsFold, swarmFold]);
  expect(getTask(again.state(swarmFold), asTaskId("t2")).answersRefused).toBe(3);
});
