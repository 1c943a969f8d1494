// Worker hosts that die, fall silent or are cut off in the middle of the demo's swarm: nothing is lost, nothing late gets in.

import { describe, expect, test } from "vitest";
import { unwrap } from "../../src/base/result.ts";
import { type DemoSwarm, startDemoSwarm } from "./demo-swarm.ts";
import { leaseFaults, leasesLost, requestOf } from "./reading.ts";
import { type Relay, relayOver } from "./relay.ts";

const virtualMsMax = 120_000;
const bytesMax = 10 * 1024 * 1024;

const undisturbed = (async () => {
  const demo = await startDemoSwarm({ seed: 20 });
  demo.startHost("host-1");
  await demo.sim.run(demo.coordinator.done, { virtualMsMax });
  return demo.tree();
})();

async function endOf(demo: DemoSwarm) {
  const end = await demo.sim.run(demo.coordinator.done, { virtualMsMax });
  await demo.sim.run(demo.coordinator.close());
  const records = await demo.records();
  const undone = [...demo.state.tasks.values()].filter(({ status }) => status.kind !== "done").map(({ id }) => id);
  return { end: end.state, undone, faults: leaseFaults(records), tree: demo.tree(), lost: leasesLost(records) };
}

function relayed(demo: DemoSwarm, name: string) {
  const relays: Relay[] = [];
  const host = demo.startHost(name, {
    net(net) {
      const relay = relayOver(net);
      relays.push(relay);
      return relay.net;
    },
  });
  const [relay] = relays;
  if (relay === undefined) throw new Error("a host is given its net at once");
  return { ...host, relay };
}

/** Calls back once when this turn of the task's worker is in the log. */
function atRequest(demo: DemoSwarm, key: string, turn: number, act: () => void): void {
  let done = false;
  demo.store.ledger.onDurable((records) => {
    const hit = records.some((record) => {
      const request = requestOf(record);
      const task = [...demo.state.tasks.values()].find((candidate) => candidate.key === key);
      return request !== null && request.task === task?.id && request.turn === turn;
    });
    if (!hit || done) return;
    done = true;
    act();
  });
}

describe("kill -9 of the only host", () => {
  // Seconds in which planners, workers and the arbiter are at work, one after the other.
  test.each([500, 3_100, 5_500, 7_000, 11_000])(
    "S11 after %i ms: its tasks are done by another one",
    async (killMs) => {
      const demo = await startDemoSwarm({ seed: killMs, flushMsMax: 5 });
      const first = demo.startHost("host-1");
      demo.sim.clock.after(killMs, () => {
        first.process.kill();
        demo.startHost("host-2");
      });
      const { lost, ...end } = await endOf(demo);
      expect(end).toEqual({ end: "finished", undone: [], faults: [], tree: await undisturbed });
      expect(lost.length).toBeGreaterThan(0);
    },
  );

  test("S6 the work of a lost worker is named and kept, and its agent goes on with it", async () => {
    const demo = await startDemoSwarm({ seed: 6 });
    const first = demo.startHost("host-1");
    const kept = Promise.withResolvers<string>();
    const look = async (): Promise<void> => {
      const edited = unwrap(await demo.sim.files.read("/run/workspaces/a7/tree/src/format.js", bytesMax), "kept");
      kept.resolve(Buffer.from(edited).toString());
      demo.startHost("host-2");
    };
    // The third answer edits the file and then runs its test, which takes longer.
    atRequest(demo, "format", 3, () => {
      demo.sim.clock.after(40, () => {
        first.process.kill();
        void look();
      });
    });
    const { lost } = await endOf(demo);
    expect(await kept.promise).toContain("const DIGITS_MAX = 12;");
    const format = [...demo.state.tasks.values()].find(({ key }) => key === "format");
    expect(lost.filter(({ task }) => task === format?.id)).toEqual([
      { task: format?.id, agent: "a7", fence: 7, workspace: "/run/workspaces/a7" },
    ]);
    const requests = (await demo.records()).flatMap((record) => requestOf(record) ?? []);
    expect(requests.filter(({ task }) => task === format?.id)).toEqual(
      [1, 2, 3, 4].map((turn) => ({ agent: "a7", task: format?.id, turn })),
    );
  });
});

describe("a host that is cut off", () => {
  test("S11 has its late result refused when it is heard again; the task is done under a higher fence", async () => {
    const demo = await startDemoSwarm({ seed: 11, flushMsMax: 5 });
    const { relay, served } = relayed(demo, "host-1");
    const { clock } = demo.sim;
    // The fourth answer is the handoff, which runs the task's check before it is asked.
    atRequest(demo, "format", 4, () => {
      clock.after(20, () => {
        relay.cut();
        demo.startHost("host-2");
      });
      clock.after(2_000, () => void relay.mend());
    });
    const { lost, ...end } = await endOf(demo);
    await demo.sim.run(served);
    expect(end).toEqual({ end: "finished", undone: [], faults: [], tree: await undisturbed });

    const format = [...demo.state.tasks.values()].find(({ key }) => key === "format");
    const dead = lost.find(({ task }) => task === format?.id);
    const transcript = unwrap(await demo.sim.files.read(`/run/agents/${dead?.agent}.jsonl`, bytesMax), "transcript");
    const refusal = `not accepted: the lease ${dead?.fence} of ${dead?.agent} on ${format?.id} has ended; its late results are refused`;
    expect(Buffer.from(transcript).toString()).toContain(refusal);
  });

  test("S11 and silent: after the time limit its leases end, and it is told to go", async () => {
    const demo = await startDemoSwarm({ seed: 12 }, { beatMs: 500, hostSilenceMsMax: 2_000 });
    const { relay, served } = relayed(demo, "host-1");
    demo.sim.clock.after(4_000, () => {
      relay.mute();
      demo.startHost("host-2");
    });
    const { lost, ...end } = await endOf(demo);
    expect(end).toEqual({ end: "finished", undone: [], faults: [], tree: await undisturbed });
    expect(lost.length).toBeGreaterThan(0);
    expect(await demo.sim.run(served)).toEqual({ ok: true, value: undefined });
  });
});

test("S11 a task whose hosts keep dying fails with that reason, and the run ends", async () => {
  const demo = await startDemoSwarm({ seed: 13 }, { attemptsMax: 3 });
  for (const number of [1, 2, 3]) {
    const { process } = demo.startHost(`host-${number}`);
    await demo.sim.run(demo.sim.clock.sleep(300));
    process.kill();
  }
  demo.startHost("host-4");
  const end = await demo.sim.run(demo.coordinator.done, { virtualMsMax });
  expect(end).toEqual({ state: "failed", reason: "3 attempts ended without a result; the last: its host is gone" });
});
