// A worker host that hangs: after its silence its leases end, its process is killed and replaced, and the run finishes.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { processesIn } from "../support/sandbox.ts";
import { bash, handoff, plan, work, write } from "../support/script.ts";
import { eventually } from "../support/skein.ts";
import { smallTest } from "../support/small-repository.ts";
import { landed, outcomeOf, startSwarm } from "../support/swarm.ts";

smallTest("a worker host that is stopped is killed and replaced", { timeout: 180_000 }, async ({ small }) => {
  const { box, repository, make } = small;
  make();
  const onceOnly = bash('test -e "$HOME/hangs" || { touch "$HOME/hangs"; sleep 300; }');
  const running = startSwarm(box, {
    repository,
    rules: [
      ...plan([{ key: "first" }]),
      ...work("first", [write("first.txt", "first\n"), onceOnly], handoff({ message: "Do first" })),
    ],
  });
  await eventually("the task hangs", () => (existsSync(join(box.home, "hangs")) ? true : null));
  const [host] = processesIn(box).filter(({ command }) => command.includes("worker-host.js"));
  process.kill(host?.pid ?? Number.NaN, "SIGSTOP");
  const outcome = await outcomeOf(await running.ended);
  expect(outcome.ended.exitCode, outcome.ended.stderr).toBe(0);
  expect(landed(repository, outcome)).toEqual(["Do first [first]"]);
  expect(new Set(outcome.store.all("task_leased").map(({ host: id }) => id))).toEqual(new Set(["host-1", "host-2"]));
  await eventually("all processes end", () => (processesIn(box).length === 0 ? true : null));
});
