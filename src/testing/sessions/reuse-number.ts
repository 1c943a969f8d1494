// Run in a process namespace of its own: one process ends, and the kernel is told to give its number to the next. Prints what the verdict
// on a record of the first one is at each step. How: /proc/sys/kernel/ns_last_pid, proc(5).

import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { linuxProcessTable } from "../../adapters/node/linux-process-table.ts";
import { type Liveness, livenessOf } from "../../sessions/presence/liveness.ts";

/** Starts are told in hundredths of a second: the second process begins in another one. */
const apartMs = 30;

const first = spawn("sleep", ["60"]);
const pid = first.pid ?? 0;
const recorded = await linuxProcessTable.machine();
const look = (await linuxProcessTable.look([pid])).get(pid);
const start = look?.kind === "running" ? look.start : null;

const before = await verdict();
first.kill("SIGKILL");
await once(first, "exit");
const between = await verdict();
await delay(apartMs);

const second = await startWithNumber();
const after = await verdict();
second.kill("SIGKILL");
process.stdout.write(JSON.stringify({ sameNumber: second.pid === pid, before, between, after }));

async function verdict(): Promise<Liveness> {
  const here = await linuxProcessTable.machine();
  const look = (await linuxProcessTable.look([pid])).get(pid) ?? null;
  return livenessOf({ process: { pid, start }, recorded, here, look, shared: false, silentMs: 0 });
}

/** A thread of ours may take the number first: then it is asked for again. */
async function startWithNumber() {
  for (let attempt = 0; ; attempt++) {
    writeFileSync("/proc/sys/kernel/ns_last_pid", String(pid - 1));
    const child = spawn("sleep", ["60"]);
    if (child.pid === pid || attempt >= 20) return child;
    child.kill("SIGKILL");
    await once(child, "exit");
  }
}
