// The demo's swarm on a budget: it ends under it, never over by a cent, and goes on with more money to the tree of an undisturbed run.

import { describe, expect, test } from "vitest";
import type { Provider } from "../../src/model/provider.ts";
import { rounds } from "../../src/testing/rounds.ts";
import { beginDemo, type DemoSwarm, demoMachine, resumeDemo } from "./demo-swarm.ts";
import { answeredRequests, landedWork, leaseFaults } from "./reading.ts";
import { billOf, scriptBill, undisturbed } from "./resumed.ts";

const virtualMsMax = 600_000;
/** The script's answers are short: a worst case of the default limit would let only one agent ask at a time. */
const outputTokensMax = { planner: 2_000, worker: 2_000, arbiter: 2_000 };
const wholeUsd = scriptBill().reduce((sum, { costUsd }) => sum + costUsd, 0);
const dustUsd = 1e-9;

async function toEnd(demo: DemoSwarm) {
  const { served } = demo.startHost(`host-${demo.sim.clock.now()}`);
  const end = await demo.sim.run(demo.coordinator.done, { virtualMsMax });
  await demo.sim.run(served, { virtualMsMax });
  await demo.sim.run(demo.coordinator.close());
  return { end, records: await demo.records() };
}

function paidUsd(records: Parameters<typeof answeredRequests>[0]): number {
  return answeredRequests(records).reduce(
    (sum, { cost_usd }) => sum + (cost_usd === "unavailable" ? Number.NaN : cost_usd),
    0,
  );
}

describe("S17 a budget", () => {
  test.each(rounds([32], [31, 32, 33]))(
    "of a third of the cost (seed %i) is not passed; with more, the run comes to the same tree",
    async (seed) => {
      const machine = await demoMachine({ seed, flushMsMax: 5 });
      const budgetUsd = wholeUsd / 3;
      const first = await beginDemo(machine.newProcess(), { coordinator: { budgetUsd, outputTokensMax } });
      const stopped = await toEnd(first);
      expect(stopped.end.state).toBe("stopped");
      expect(stopped.end.reason).toMatch(
        /^the budget of \$0\.\d+ has \$0\.\d{4} left, too little for another request, which can cost \$\d+\.\d{4,}$/,
      );
      expect(paidUsd(stopped.records)).toBeLessThanOrEqual(budgetUsd);
      expect(first.state.spentUsd).toBeCloseTo(paidUsd(stopped.records), 9);
      expect([...first.state.reserved.keys(), ...first.state.untold.keys()]).toEqual([]);
      expect(leaseFaults(stopped.records)).toEqual([]);
      // It was worth the money: nothing is stopped as long as another request surely fits.
      expect(paidUsd(stopped.records)).toBeGreaterThan(budgetUsd / 2);
      first.sim.kill();

      const coordinator = { budgetUsd: wholeUsd * 2, outputTokensMax };
      const second = await resumeDemo(machine.newProcess(), { coordinator });
      const finished = await toEnd(second);
      const { demo, records } = await undisturbed;
      expect({
        state: finished.end.state,
        tree: second.tree(),
        landed: landedWork(finished.records),
        bill: billOf(finished),
      }).toEqual({ state: "finished", tree: demo.tree(), landed: landedWork(records), bill: scriptBill() });
    },
  );

  test("is kept at every moment, also where streams break and are tried again, and hosts die", async () => {
    const machine = await demoMachine({ seed: 34, flushMsMax: 5 });
    const budgetUsd = wholeUsd / 2;
    let broken = 0;
    let attempts = 0;
    const demo = await beginDemo(machine.newProcess(), {
      coordinator: { budgetUsd, outputTokensMax, attemptsMax: 10 },
      // Every fifth attempt breaks off after it has cost something, and is made again if it may be.
      watch: (script, hooks): Provider => ({
        ...script,
        async *request(request, signal) {
          for (let number = 1; ; number++) {
            attempts += 1;
            if (attempts % 5 !== 0) return yield* script.request(request, signal);
            broken += 1;
            const error = { kind: "model", code: "network", message: "broke off", retryAfterMs: null } as const;
            const unknown = {
              inputTokens: "unavailable",
              cachedTokens: "unavailable",
              outputTokens: "unavailable",
            } as const;
            const times = { startMs: 0, waitedMs: 0, durationMs: 0 };
            const report = { number, outcome: "error", error, mayCost: true, usage: unknown, ...times } as const;
            yield { kind: "attempt", attempt: { kind: "started", number, waitedMs: 0 } };
            yield { kind: "attempt", attempt: { kind: "ended", report } };
            const refusal = (await hooks.mayRetry?.(report, request.context)) ?? null;
            if (refusal !== null) return yield { kind: "error", error: { ...error, message: refusal } };
          }
        },
      }),
    });
    const over: number[] = [];
    demo.store.ledger.onDurable(() => {
      const held = [...demo.state.reserved.values()].reduce((sum, { usd }) => sum + usd, 0);
      if (demo.state.spentUsd + held > budgetUsd + dustUsd) over.push(demo.state.spentUsd + held);
    });
    const first = demo.startHost("lost");
    demo.sim.clock.after(1_500, () => first.process.kill());
    const { end } = await toEnd(demo);
    expect({ state: end.state, over, tasks: leaseFaults(await demo.records()) }).toEqual({
      state: "stopped",
      over: [],
      tasks: [],
    });
    expect(broken).toBeGreaterThan(1);
    // Nobody has failed for want of money: all of them can go on.
    expect([...demo.state.tasks.values()].filter(({ status }) => status.kind === "failed")).toEqual([]);
  });
});
