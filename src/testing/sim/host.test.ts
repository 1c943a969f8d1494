// The simulated host keeps the ports' contracts.

import { describeClock, describeRandom } from "../contract/host-clock.ts";
import { describeFiles } from "../contract/host-files.ts";
import { describeLocks } from "../contract/host-lock.ts";
import { describeNet } from "../contract/host-net.ts";
import { describeProcesses, SCRIPTS } from "../contract/host-processes.ts";
import type { HostUnderTest } from "../contract/under-test.ts";
import { bytes } from "../contract/under-test.ts";
import { type SimHost, simHost } from "./host.ts";

for (const seed of [1, 2, 3]) {
  const name = `sim, seed ${seed}`;
  const make = () => makeHost(seed);
  describeFiles(name, make);
  describeLocks(name, make);
  describeClock(name, make);
  describeRandom(name, make);
  describeNet(name, make);
  describeProcesses(name, make);
}

async function makeHost(seed: number): Promise<HostUnderTest> {
  const host = simHost({ seed });
  installPrograms(host);
  await host.files.makeDirectory("/disk/here");
  return { host, directory: "/disk/here", run: (work) => host.run(work), dispose: async () => undefined };
}

function installPrograms({ programs }: SimHost): void {
  programs.set("cat", async ({ stdin, stdout }) => {
    for await (const chunk of stdin) await stdout(chunk);
    return 0;
  });
  programs.set("env", async ({ env, stdout }) => {
    for (const [name, value] of Object.entries(env)) await stdout(bytes(`${name}=${value}\n`));
    return 0;
  });
  programs.set("pwd", async ({ cwd, stdout }) => {
    await stdout(bytes(`${cwd}\n`));
    return 0;
  });
  programs.set("sleep", async ({ argv, clock }) => {
    await clock.sleep(Number(argv[1]) * 1000);
    return 0;
  });
  programs.set("sh", async ({ argv, clock, stdin, stdout, stderr }) => {
    switch (argv[2]) {
      case SCRIPTS.exitWith3:
        return 3;
      case SCRIPTS.bothStreams:
        await Promise.all([stdout(bytes("out\n")), stderr(bytes("err\n"))]);
        return 0;
      case SCRIPTS.ignoresInput:
        await stdin[Symbol.asyncIterator]().return?.();
        await clock.sleep(60_000);
        return 0;
      default:
        throw new Error(`no such script here: ${argv[2]}`);
    }
  });
}
