// An agent's conversation and workspace are one process's at a time: a host that was cut off may still be at them when another one
// is given the agent. Its lock vanishes with its process, however that ends.

import { join } from "node:path";
import type { AgentId } from "../../base/ids.ts";
import type { HeldLock } from "../../host/lock.ts";
import type { HostEnvironment } from "./environment.ts";

/** A host that has lost its coordinator stops what it runs; longer than that nobody waits for it. */
const lockWaitMsMax = 15_000;
const lockPauseMs = 100;

/** Null where another process holds it for too long, or the signal aborts. */
export async function lockAgent(
  { host, directories }: HostEnvironment,
  agent: AgentId,
  signal: AbortSignal,
): Promise<HeldLock | null> {
  const path = join(directories.agents, `${agent}.lock`);
  const endMs = host.clock.monotonicMs() + lockWaitMsMax;
  for (;;) {
    const lock = await host.locks.acquire(path);
    if (lock.ok) return lock.value;
    if (lock.error.code !== "held") throw new Error(`${path} cannot be locked: ${lock.error.message}`);
    if (signal.aborted || host.clock.monotonicMs() >= endMs) return null;
    await host.clock.sleep(lockPauseMs, signal);
  }
}
