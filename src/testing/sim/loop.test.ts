// Virtual time: it costs no real time, moves only when nothing else can, and a run that cannot end says why.

import { expect, test } from "vitest";
import { simEpochMs } from "./clock.ts";
import { simHost } from "./host.ts";

test("a week passes at once, and exactly", async () => {
  const sim = simHost({ seed: 1 });
  const weekMs = 7 * 86_400_000;
  await sim.run(sim.clock.sleep(weekMs), { virtualMsMax: weekMs });
  expect([sim.clock.now(), sim.clock.monotonicMs()]).toEqual([simEpochMs + weekMs, weekMs]);
});

test("time waits for every task that can go on, however many steps it needs", async () => {
  const sim = simHost({ seed: 1 });
  const events: string[] = [];
  sim.clock.after(1, () => events.push("timer"));
  const work = (async () => {
    for (let step = 0; step < 10_000; step++) await undefined;
    events.push("work");
    await sim.clock.sleep(5);
  })();
  await sim.run(work);
  expect(events).toEqual(["work", "timer"]);
});

test("a deadlock is told", async () => {
  const sim = simHost({ seed: 1 });
  await expect(sim.run(new Promise(() => undefined))).rejects.toThrow(
    "deadlock: the promise is pending and no timer is left",
  );
});

test("a run past its time limit names what is pending", async () => {
  const sim = simHost({ seed: 1 });
  const beat = () => void sim.clock.after(1000, beat);
  beat();
  sim.clock.after(9_000_000, () => undefined);
  const run = sim.run(new Promise(() => undefined), { virtualMsMax: 60_000 });
  await expect(run).rejects.toThrow(
    "the promise is pending at the end of the allowed virtual time (now 60000.000 ms)\n" +
      "pending timers:\n  after 1000 ms, due at 61000.000 ms\n  after 9000000 ms, due at 9000000.000 ms",
  );
});

test("a rejection comes through, and the next run goes on", async () => {
  const sim = simHost({ seed: 1 });
  await expect(sim.run(Promise.reject(new Error("mine")))).rejects.toThrow("mine");
  await sim.run(sim.clock.sleep(5));
  expect(sim.clock.monotonicMs()).toBe(5);
});

test("a throwing program fails the run", async () => {
  const sim = simHost({ seed: 1 });
  sim.programs.set("broken", async () => {
    throw new Error("a bug in the test's program");
  });
  await sim.processes.spawn({ argv: ["broken"], cwd: "/", env: {} });
  await expect(sim.run(sim.clock.sleep(5))).rejects.toThrow("a bug in the test's program");
});
