// The real host: every port on Node's own modules, for one process.

import type { Host } from "../../host/host.ts";
import { nodeClock } from "./clock.ts";
import { nodeFiles } from "./files.ts";
import { nodeLocks } from "./lock.ts";
import { nodeNet } from "./net.ts";
import { nodeProcesses } from "./processes.ts";
import { nodeRandom } from "./random.ts";

export function nodeHost(): Host {
  return {
    files: nodeFiles,
    locks: nodeLocks,
    processes: nodeProcesses,
    net: nodeNet,
    clock: nodeClock,
    random: nodeRandom,
  };
}
