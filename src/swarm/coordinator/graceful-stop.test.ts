// A run that is stopped in order: by a person, or by its budget. Every agent finishes the call it is at, and nothing is lost.

import { describe, expect, it } from "vitest";
import { asFence, asTaskId } from "../../base/ids.ts";
import { unwrap } from "../../base/result.ts";
import { answers, type Job } from "../../protocol/messages.ts";
import { doneReport, statusOf, workOf } from "../../testing/swarm/rig.ts";
import { goal, join, settle, startTalk, waitingPlanner } from "../../testing/swarm/talk.ts";

describe("a graceful stop", () => {
  const priced = { inputUsd: 1, outputUsdPerToken: 0.001 };
  const begin = (lease: Job["lease"], turn: number) =>
    ({ kind: "request_begin", lease, turn, outputTokensMax: 1_000, priced, after: null, failed: null }) as const;
  const ended = (lease: Job["lease"]) =>
    ({ kind: "agent_ended", lease, outcome: "budget", requests: 1, transcript: null }) as const;
  const kept = { lost: false, blame: "host", fresh: false };

  it("lets no request through, waits until every agent has given its lease back, and then ends the run", async () => {
    const talk = await startTalk((rig) => waitingPlanner(rig, "t1", "t2", "t3"));
    const { sim, rig, coordinator } = talk;
    const host = await join(talk, "h1");
    const [{ lease: first }, { lease: second }] = [await host.job("t1"), await host.job("t2")];
    const { lease: third } = await host.job("t3");
    const stopped = coordinator.stop("enough", "graceful");
    const asked = await sim.run(host.peer.ask(begin(first, 1), answers.request_begin));
    expect(asked).toEqual({ ok: true, value: { kind: "stop", reason: "enough", pause: true } });
    for (const lease of [first, second]) {
      unwrap(
        await sim.run(host.peer.ask({ kind: "pause", lease, reason: "enough", stops: false }, answers.pause)),
        "pause",
      );
      unwrap(await sim.run(host.peer.ask(ended(lease), answers.agent_ended)), "ended");
    }
    await settle(talk);
    // The third is still at a call, which may land its work.
    expect(rig.state.end).toBe(null);
    const work = workOf(rig.vcs.head(), { "b.txt": "2\n" });
    const handoff = { kind: "handoff", lease: third, handoff: doneReport, work, workspace: null };
    unwrap(await sim.run(host.peer.ask(handoff, answers.handoff)), "handoff");
    unwrap(await sim.run(host.peer.ask(ended(third), answers.agent_ended)), "ended");
    expect(await sim.run(coordinator.done)).toEqual({ state: "stopped", reason: "enough" });
    await sim.run(stopped);
    const leases = (await rig.records()).filter(({ type }) => type === "lease_ended").map(({ data }) => data);
    expect(leases).toEqual([
      { ...first, ...kept, reason: "enough", workspace: "/w/a2" },
      { ...second, ...kept, reason: "enough", workspace: "/w/a3" },
    ]);
    expect(["t1", "t2", "t3"].map((task) => statusOf(rig.state, task))).toEqual(["planned", "planned", "done"]);
    expect(host.notices.filter(({ kind }) => kind === "assign").length).toBe(3);
  });

  it("ends the run as finished where the goal came to its end meanwhile", async () => {
    const talk = await startTalk(async (rig) => {
      await rig.add("t1", "work", { parent: goal });
      const lease = await rig.lease("t1");
      await rig.ask({ kind: "handoff", lease, handoff: doneReport, work: null, workspace: null });
    });
    const { sim, coordinator } = talk;
    const host = await join(talk, "h1");
    const { lease } = await host.job(goal);
    void coordinator.stop("enough", "graceful");
    const handoff = { kind: "handoff", lease, handoff: doneReport, work: null, workspace: null };
    unwrap(await sim.run(host.peer.ask(handoff, answers.handoff)), "handoff");
    unwrap(await sim.run(host.peer.ask(ended(lease), answers.agent_ended)), "ended");
    expect(await sim.run(coordinator.done)).toMatchObject({ state: "finished" });
  });

  it("H16 is begun by an agent whose provider or disk gives up: its task stays as it was, and every host hears of it", async () => {
    const talk = await startTalk((rig) => waitingPlanner(rig, "t1", "t2"));
    const { sim, rig } = talk;
    const one = await join(talk, "h1");
    const [{ lease: first }, { lease: second }] = [await one.job("t1"), await one.job("t2")];
    const two = await join(talk, "h2");
    const reason = "the model m failed (quota): used up";
    const pause = (lease: Job["lease"], stops: boolean) =>
      sim.run(one.peer.ask({ kind: "pause", lease, reason, stops }, answers.pause));
    unwrap(await pause(first, true), "pause");
    unwrap(await sim.run(one.peer.ask(ended(first), answers.agent_ended)), "ended");
    await settle(talk);
    const hold = { kind: "hold", reason };
    const held = [one, two].map(({ notices }) => notices.filter(({ kind }) => kind === "hold"));
    expect([held, statusOf(rig.state, "t1"), statusOf(rig.state, "t2")]).toEqual([
      [[hold], [hold]],
      "planned",
      "leased",
    ]);
    unwrap(await pause(second, false), "pause");
    unwrap(await sim.run(one.peer.ask(ended(second), answers.agent_ended)), "ended");
    expect(await sim.run(talk.coordinator.done)).toEqual({ state: "stopped", reason });
    expect(["t1", "t2"].map((task) => statusOf(rig.state, task))).toEqual(["planned", "planned"]);
  });

  it("is not begun by an agent whose lease has ended", async () => {
    const talk = await startTalk((rig) => waitingPlanner(rig, "t1"));
    const host = await join(talk, "h1");
    const { lease } = await host.job("t1");
    const late = { ...lease, fence: asFence(lease.fence - 1) };
    const pause = { kind: "pause", lease: late, reason: "late", stops: true };
    unwrap(await talk.sim.run(host.peer.ask(pause, answers.pause)), "pause");
    await settle(talk);
    expect([statusOf(talk.rig.state, "t1"), host.notices.filter(({ kind }) => kind === "hold")]).toEqual([
      "leased",
      [],
    ]);
  });

  it("is not kept waiting by a host that dies, nor for ever by one call; a second stop ends it now", async () => {
    for (const how of ["dies", "hangs", "twice"] as const) {
      const talk = await startTalk((rig) => waitingPlanner(rig, "t1"));
      const { sim, rig, coordinator } = talk;
      const host = await join(talk, "h1");
      await host.job("t1");
      void coordinator.stop("enough", "graceful");
      if (how === "dies") host.peer.close();
      if (how === "twice") await sim.run(coordinator.stop("now", "now"));
      if (how === "hangs") {
        const beat = async (): Promise<void> => {
          for (;;) {
            host.peer.notify({ kind: "beat" });
            await sim.clock.sleep(1_000);
          }
        };
        void beat();
      }
      const end = await sim.run(coordinator.done, { virtualMsMax: 6 * 60_000 });
      expect([how, end.state, statusOf(rig.state, "t1")]).toEqual([how, "stopped", "planned"]);
      expect(rig.state.tasks.get(asTaskId("t1"))?.attemptsLost).toBe(0);
      await sim.run(coordinator.close());
    }
  });

  it("S17 begins when the budget has no room for another request, and answers whoever waits for room", async () => {
    const talk = await startTalk((rig) => waitingPlanner(rig, "t1", "t2"), { options: { budgetUsd: 2.5 } });
    const { sim, rig } = talk;
    const host = await join(talk, "h1");
    const [{ lease: first }, { lease: second }] = [await host.job("t1"), await host.job("t2")];
    const ask = (lease: Job["lease"], turn: number) => host.peer.ask(begin(lease, turn), answers.request_begin);
    expect(await sim.run(ask(first, 1))).toMatchObject({ value: { kind: "go" } });
    const waiting = ask(second, 1);
    const usage = { inputTokens: 1, cachedTokens: 0, outputTokens: 1 };
    const told = {
      again: false,
      attempts: 1,
      model: "m",
      turn: 1,
      usage,
      costUsd: 2,
      heldCharged: true,
      durationMs: 1,
      failed: null,
    };
    unwrap(
      await sim.run(host.peer.ask({ kind: "request_done", lease: first, ...told }, answers.request_done)),
      "settled",
    );
    const reason = "the budget of $2.5 has $0.5000 left, too little for another request, which can cost $2.0000";
    const stop = { ok: true, value: { kind: "stop", reason, pause: true } };
    expect([await sim.run(waiting), await sim.run(ask(first, 2))]).toEqual([stop, stop]);
    for (const lease of [first, second]) {
      unwrap(await sim.run(host.peer.ask({ kind: "pause", lease, reason, stops: false }, answers.pause)), "pause");
      unwrap(await sim.run(host.peer.ask(ended(lease), answers.agent_ended)), "ended");
    }
    expect(await sim.run(talk.coordinator.done)).toEqual({ state: "stopped", reason });
    expect(rig.state.spentUsd).toBe(2);
  });

  it("S17 does not come for a request that waits for one whose host dies: it goes on with what is left", async () => {
    const talk = await startTalk((rig) => waitingPlanner(rig, "t1"), { options: { budgetUsd: 4.25 } });
    const { sim, rig } = talk;
    const host = await join(talk, "h1");
    const { lease: first } = await host.job("t1");
    const dear = { ...begin(first, 1), priced: { inputUsd: 2, outputUsdPerToken: 0.0005 } };
    expect(await sim.run(host.peer.ask(dear, answers.request_begin))).toMatchObject({ value: { kind: "go" } });
    await rig.add("t2", "work", { parent: goal });
    const other = await join(talk, "h2");
    const { lease: second } = await other.job("t2");
    const waiting = other.peer.ask(begin(second, 1), answers.request_begin);
    await settle(talk);
    host.peer.close();
    // Of $4.25, $2.50 are charged for what nobody will tell, and $1 is the input's.
    expect(await sim.run(waiting)).toEqual({ ok: true, value: { kind: "go", outputTokensMax: 750 } });
    expect(rig.state.spentUsd).toBe(2.5);
  });
});
