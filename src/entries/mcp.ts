// `skein mcp` by itself, in a file of its own: an agent starts it with each session. `skein.ts` and the launcher come here. Invariant: nothing
// but protocol goes to standard output, and it ends with its input or with its client.

import { nodeClock } from "../adapters/node/clock.ts";
import { serveMcp } from "../app/mcp.ts";

const { env, platform, pid, ppid, argv, stdin, stdout, stderr } = process;
stdout.on("error", () => process.exit(0));
void main();

async function main(): Promise<void> {
  const surroundings = { env, platform, cwd: process.cwd(), processId: pid, host: { clock: nodeClock } };
  const served = await serveMcp(surroundings, {
    input: stdin,
    output: stdout,
    parentPid: ppid,
    program: argv[1] ?? "",
    onClientGone: () => process.exit(0),
  });
  if (!served.ok) stderr.write(`skein: ${served.error.message}\n`);
  process.exit(served.ok ? 0 : 1);
}
