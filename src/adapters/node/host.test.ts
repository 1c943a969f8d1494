// The Node adapters keep the ports' contracts.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeClock, describeRandom } from "../../testing/contract/host-clock.ts";
import { describeFiles } from "../../testing/contract/host-files.ts";
import { describeLocks } from "../../testing/contract/host-lock.ts";
import { describeNet } from "../../testing/contract/host-net.ts";
import { describeProcesses } from "../../testing/contract/host-processes.ts";
import type { HostUnderTest } from "../../testing/contract/under-test.ts";
import { nodeHost } from "./host.ts";

describeFiles("node", makeHost);
describeLocks("node", makeHost);
describeClock("node", makeHost);
describeRandom("node", makeHost);
describeNet("node", makeHost);
describeProcesses("node", makeHost);

async function makeHost(): Promise<HostUnderTest> {
  const directory = await mkdtemp(join(tmpdir(), "skein-host-"));
  return {
    host: nodeHost(),
    directory,
    run: (work) => work,
    dispose: () => rm(directory, { recursive: true, force: true }),
  };
}
