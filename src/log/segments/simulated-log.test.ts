// The segment log on the simulated disk: the port's contract, and one writer among several processes.

import { expect, test } from "vitest";
import { unwrap } from "../../base/result.ts";
import { describeLog } from "../../testing/contract/log.ts";
import { at, readAll, records, storedRecord } from "../../testing/contract/log-under-test.ts";
import { logStore } from "../../testing/log/log-store.ts";
import { simHost } from "../../testing/sim/host.ts";

for (const [seed, flushMsMax] of [
  [1, 0],
  [2, 5],
] as const) {
  describeLog(`segments on the simulated disk, flushes up to ${flushMsMax} ms`, async () => {
    const host = simHost({ seed, flushMsMax });
    const store = logStore(host, "/state/log");
    return { open: (limits) => store.open(limits), run: (work) => host.run(work), dispose: async () => undefined };
  });
}

test("another process is refused while the writer lives, and takes over what a killed one had acknowledged", async () => {
  const first = simHost({ seed: 3 });
  const second = first.newProcess();
  const log = unwrap(await logStore(first, "/state/log").open(), "open");
  unwrap(await log.append(records("a"), at(0)), "append");
  const refused = await logStore(second, "/state/log").open();
  first.kill();
  const successor = unwrap(await logStore(second, "/state/log").open(), "take over");
  expect([refused, await readAll(successor)]).toEqual([
    { ok: false, error: { kind: "held", message: expect.any(String) } },
    [storedRecord(0, "a")],
  ]);
});

test("what a successor found in the cache of a killed writer survives a power loss", async () => {
  for (let seed = 0; seed < 30; seed += 1) {
    const host = simHost({ seed, flushMsMax: 10 });
    const log = unwrap(await host.run(logStore(host, "/state/log").open()), "open");
    void log.append(records("a", "b"), at(0));
    // The write is done, its flush is not.
    await host.run(host.clock.sleep(0));
    host.kill();
    const second = host.newProcess();
    const found = unwrap(await host.run(logStore(second, "/state/log").open()), "take over");
    const third = second.powerLoss();
    const left = unwrap(await host.run(logStore(third, "/state/log").open()), "after the power loss");
    expect([seed, left.end]).toEqual([seed, found.end]);
  }
});
