// The bill of a lone run, from transcripts that real runs of the loop have written. Sums by hand: USAGE is 100 in, 40 of them cached, and 10
// out, at 10, 1 and 100 dollars a million: $0.00164.

import { expect, test } from "vitest";
import { runAgent } from "../agent/loop.ts";
import { openSessionLog } from "../agent/session-log.ts";
import { asAgentId } from "../base/ids.ts";
import { unwrap } from "../base/result.ts";
import { USAGE_UNKNOWN, type Usage } from "../model/usage.ts";
import { rig, saying, USAGE } from "../testing/agent/rig.ts";
import { type SimHost, simHost } from "../testing/sim/host.ts";
import { billOf, spentUsdMax } from "./run-bill.ts";
import { runDirectories } from "./state-directory.ts";

const directories = runDirectories("/run");
const price = { inputUsdPerMtok: 10, cachedUsdPerMtok: 1, outputUsdPerMtok: 100 };

async function talked(host: SimHost, id: string, usage: Usage): Promise<void> {
  const owner = { agent: asAgentId(id), parent: id === "a0" ? null : asAgentId("a0") };
  const record = unwrap(await openSessionLog(host.files, `${directories.agents}/${id}.jsonl`, owner), "open");
  const one = rig({ answers: [saying("done", usage)] });
  await runAgent(one.spec, { ...one.ports, record });
  unwrap(await record.close(), "close");
}

test("H23 the bill counts all agents, and how many requests lack figures; what is unknown counts at its most for a budget", async () => {
  const host = simHost({ seed: 1 });
  unwrap(await host.files.makeDirectory(directories.agents), "directory");
  await host.run(talked(host, "a0", USAGE).then(() => talked(host, "a1", USAGE)));
  expect(await host.run(billOf(host.files, directories))).toEqual({
    totals: {
      requests: 2,
      usage: { inputTokens: 200, cachedTokens: 80, outputTokens: 20 },
      costUsd: 0.00328,
      known: { inputTokens: 200, cachedTokens: 80, outputTokens: 20, costUsd: 0.00328 },
      requestsIncomplete: 0,
      requestsUnpriced: 0,
    },
    children: 1,
    unreadable: 0,
  });
  const worst = { price, outputTokensMax: 1_000 };
  expect(await host.run(spentUsdMax(host.files, directories, worst))).toBe(0.00328);

  await host.run(talked(host, "a2", USAGE_UNKNOWN));
  const { totals, children } = await host.run(billOf(host.files, directories));
  expect([totals.costUsd, totals.known.costUsd, totals.requestsUnpriced, children]).toEqual([
    "unavailable",
    0.00328,
    1,
    2,
  ]);
  const sizes = ["a0", "a1", "a2"].map((id) => host.files.stat(`${directories.agents}/${id}.jsonl`));
  const largest = Math.max(...(await host.run(Promise.all(sizes))).map((stat) => unwrap(stat, "stat").size));
  // The largest transcript and 256 KiB of input at $10, 1,000 tokens of output at $100 a million.
  const most = ((largest + 262_144) * 10 + 1_000 * 100) / 1_000_000;
  expect(await host.run(spentUsdMax(host.files, directories, worst))).toBeCloseTo(0.00328 + most, 9);
});
