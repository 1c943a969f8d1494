// All ports to the outside in one value: what a process is given at its start, real or simulated.

import type { Clock } from "./clock.ts";
import type { Files } from "./files.ts";
import type { Locks } from "./lock.ts";
import type { Net } from "./net.ts";
import type { Processes } from "./processes.ts";
import type { Random } from "./random.ts";

export interface Host {
  readonly files: Files;
  readonly locks: Locks;
  readonly processes: Processes;
  readonly net: Net;
  readonly clock: Clock;
  readonly random: Random;
}
