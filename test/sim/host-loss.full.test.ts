// Many seeds of the demo's swarm with hosts that die or are cut off at any time, and flushes that take theirs.

import { expect, test } from "vitest";
import { seededRandom } from "../../src/testing/sim/random.ts";
import { type DemoSwarm, startDemoSwarm } from "./demo-swarm.ts";
import { leaseFaults } from "./reading.ts";
import { type Relay, relayOver } from "./relay.ts";

const seeds = Array.from({ length: 100 }, (_, index) => 1_000 + index);
const virtualMsMax = 200_000;
const runMs = 13_000;
const cutMsMax = 4_000;
const flushMsMax = 40;
const losses = 4;

const undisturbed = (async () => {
  const demo = await startDemoSwarm({ seed: 1 });
  demo.startHost("host-1");
  await demo.sim.run(demo.coordinator.done, { virtualMsMax });
  return demo.tree();
})();

test.each(seeds)("S10 S11 seed %i comes to the tree of an undisturbed run", async (seed) => {
  const random = seededRandom(seed, "faults");
  const demo = await startDemoSwarm({ seed, flushMsMax: random.integer(flushMsMax) }, { attemptsMax: losses + 1 });
  startHosts(demo, random);
  const end = await demo.sim.run(demo.coordinator.done, { virtualMsMax });
  const faults = leaseFaults(await demo.records());
  expect({ end: end.state, faults, tree: demo.tree() }).toEqual({
    end: "finished",
    faults: [],
    tree: await undisturbed,
  });
});

/** One host, or two; each is lost at a random time and followed by another, until enough were lost. */
function startHosts(demo: DemoSwarm, random: ReturnType<typeof seededRandom>): void {
  const { clock } = demo.sim;
  let count = 0;
  const start = (): void => {
    count += 1;
    const relays: Relay[] = [];
    const host = demo.startHost(`host-${count}`, {
      net(net) {
        const relay = relayOver(net);
        relays.push(relay);
        return relay.net;
      },
    });
    if (count > losses) return;
    const kind = (["kill", "cut", "cut and mend"] as const)[random.integer(3)];
    clock.after(random.unit() * runMs, () => {
      if (kind === "kill") host.process.kill();
      else for (const relay of relays) relay.cut();
      if (kind === "cut and mend")
        clock.after(random.unit() * cutMsMax, () => {
          for (const relay of relays) void relay.mend();
        });
      start();
    });
  };
  start();
  if (random.integer(2) === 0) start();
}
