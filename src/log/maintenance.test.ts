// When a store is looked after: full segments are taken apart once nobody has written for a while, or when there are very many.

import { expect, test } from "vitest";
import { asPosition } from "../base/ids.ts";
import { unwrap } from "../base/result.ts";
import { records } from "../testing/contract/log-under-test.ts";
import { logStore } from "../testing/log/log-store.ts";
import { simHost } from "../testing/sim/host.ts";
import { openLedger } from "./ledger.ts";
import { type MaintenanceLimits, startMaintenance } from "./maintenance.ts";

const lookMs = 1_000;

/** A log whose every record fills a segment, looked after with these limits. */
async function lookedAfter(limits: Partial<MaintenanceLimits>) {
  const host = simHost({ seed: 5 });
  const log = unwrap(await logStore(host, "/log").open({ segmentBytesMax: 200 }), "open");
  const ledger = await openLedger(log, []);
  const { clock } = host;
  const maintenance = startMaintenance({ ledger, log, clock, limits: { lookMs, idleLooksMin: 3, ...limits } });
  const write = async (count: number): Promise<void> => {
    for (let left = count; left > 0; left -= 1) {
      unwrap(await ledger.append(records("x".repeat(200))), "append");
    }
  };
  return { log, ledger, maintenance, write, wait: (looks: number) => host.run(clock.sleep(looks * lookMs + 1)) };
}

test("segments are sealed after several looks without a write, not right after the start nor between writes", async () => {
  const { log, ledger, maintenance, write, wait } = await lookedAfter({});
  await write(6);
  const seen: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    await wait(2);
    seen.push(log.stats().segments.sealed);
    await write(1);
  }
  await wait(6);
  seen.push(log.stats().segments.sealed);
  await maintenance.stop();
  expect([seen, ledger.end, log.stats().segments.plain]).toEqual([[0, 0, 0, 8], asPosition(9), 1]);
  await log.close();
});

test("under load one of those over the limit is sealed at each look, and all over twice the limit", async () => {
  const { log, maintenance, write, wait } = await lookedAfter({ plainSegmentsMax: 4, idleLooksMin: 1_000 });
  await write(11);
  const seen: number[] = [];
  for (let look = 0; look < 6; look += 1) {
    await wait(1);
    seen.push(log.stats().segments.plain);
  }
  await maintenance.stop();
  expect(seen).toEqual([8, 7, 6, 5, 4, 4]);
  await log.close();
});
