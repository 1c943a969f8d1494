// How the demo's swarm ends before its work is done: stopped by a person, by a full disk, by its limit of model requests.

import { describe, expect, test } from "vitest";
import { startDemoSwarm, storeDirectory } from "./demo-swarm.ts";
import { landedTasks, leaseFaults } from "./reading.ts";

const virtualMsMax = 60_000;

describe("stop", () => {
  test.each([10, 900, 6_000])(
    "after %i ms ends every lease and then the run; nothing lands after it",
    async (stopMs) => {
      const demo = await startDemoSwarm({ seed: stopMs, flushMsMax: 5 });
      const { served } = demo.startHost("host-1");
      demo.sim.clock.after(stopMs, () => void demo.coordinator.stop("enough", "now"));
      const end = await demo.sim.run(demo.coordinator.done, { virtualMsMax });
      const host = await demo.sim.run(served, { virtualMsMax });
      await demo.sim.run(demo.coordinator.close());
      const records = await demo.records();
      const after = records.slice(records.findIndex(({ type }) => type === "run_ended") + 1);
      const leased = [...demo.state.tasks.values()].filter(({ status }) => status.kind === "leased");
      expect({ end, host, leased, faults: leaseFaults(records), landedLate: landedTasks(after) }).toEqual({
        end: { state: "stopped", reason: "enough" },
        host: { ok: true, value: undefined },
        leased: [],
        faults: [],
        landedLate: [],
      });
      // The bill of what was under way is kept, and nothing else is added.
      const others = after.map(({ type }) => type).filter((type) => type !== "model_request" && type !== "agent_ended");
      expect(others).toEqual([]);
    },
  );
});

test.each(["append", "sync"] as const)(
  "S21 a disk that fills up (%s) ends the run with that reason; what was acknowledged stays",
  async (op) => {
    const demo = await startDemoSwarm({ seed: 21, flushMsMax: 5 });
    const { served } = demo.startHost("host-1");
    const acknowledged: number[] = [];
    demo.store.ledger.onDurable((records) => acknowledged.push(...records.map(({ position }) => position)));
    demo.sim.clock.after(5_000, () =>
      demo.sim.disk.failNext({
        op,
        code: "no-space",
        path: (path) => path.startsWith(storeDirectory),
        times: Number.POSITIVE_INFINITY,
      }),
    );
    const end = await demo.sim.run(demo.coordinator.done, { virtualMsMax });
    await demo.sim.run(served, { virtualMsMax });
    await demo.sim.run(demo.coordinator.close());
    expect(end.state).toBe("stopped");
    expect(end.reason).toMatch(/^the disk is full|^the store stopped/);
    const kept = (await demo.records()).map(({ position }) => position);
    expect(kept.slice(-acknowledged.length)).toEqual(acknowledged);
  },
);

test.each([1, 12, 40])(
  "S17 a limit of %i model requests is never passed, however many agents work at once",
  async (requestsMax) => {
    const demo = await startDemoSwarm({ seed: requestsMax }, { requestsMax });
    const { served } = demo.startHost("host-1");
    const end = await demo.sim.run(demo.coordinator.done, { virtualMsMax });
    await demo.sim.run(served, { virtualMsMax });
    const billed = (await demo.records()).filter(({ type }) => type === "model_request").length;
    expect(end.state).toBe("stopped");
    expect(end.reason).toContain(`the run may make ${requestsMax} model requests and has none left to give`);
    expect(billed).toBeLessThanOrEqual(requestsMax);
  },
);
